// Browser: shows the views of a profile that may still change, and runs the key loop. One thread.
#pragma once
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "analysis/browse/queries.h"
#include "output/tui/screen/screen.h"
#include "output/tui/screen/settings.h"
#include "output/tui/screen/view.h"
#include "output/tui/screen/view_stack.h"

namespace peregrine::tui {

struct BrowserHooks {
  // Time in ms during which nothing changes; negative, or absent: forever.
  std::function<int()> calm;
  // Readable when something changed; -1: none.
  int changed_fd = -1;
  // Called before each redraw: whether the profile has changed.
  std::function<bool()> changed;
  // Wraps all queries, to prevent changes during a query.
  std::function<void(const std::function<void()>&)> locked;
  // Whether to exit.
  std::function<bool()> over;
};

class Browser {
 public:
  Browser(Screen& screen, Queries& queries, ReportSettings& settings, BrowserHooks hooks);
  // Starts with the code of this function, if a row has it.
  void show_first(std::string symbol) { first_symbol_ = std::move(symbol); }
  // Runs until the user leaves. Returns empty, or the leaving view's request to the owner: "open FILE", "time RANGE".
  std::string run();

 private:
  void start();
  void show_symbol();
  std::unique_ptr<View> choose_table();
  std::vector<std::size_t> tables_with_samples() const;
  void leave_empty_table();
  std::unique_ptr<View> rows_of(std::size_t table) const;

  ViewStack views_;
  Queries& queries_;
  ReportSettings& settings_;
  BrowserHooks hooks_;
  std::string first_symbol_;
  bool waits_for_samples_ = false;
};

// A view at a given size as text, for tests and files.
std::string picture_of(View& view, unsigned width, unsigned height, bool ascii);

}  // namespace peregrine::tui
