// Browser: the views of a profile on a screen, and the loop of keys while it may still change. One thread.
#pragma once
#include <functional>
#include <memory>

#include "analysis/browse/queries.h"
#include "output/tui/report/report_view.h"
#include "output/tui/screen/view_stack.h"

namespace peregrine::tui {

struct BrowserHooks {
  // For how long nothing will change, in ms; negative, and without it: for ever.
  std::function<int()> calm;
  // What can be read when something did; -1: nothing.
  int changed_fd = -1;
  // Asked about so often, before the picture is drawn again: whether the profile is another one now.
  std::function<bool()> changed;
  // Called around everything that asks the queries: what they look at must not change then.
  std::function<void(const std::function<void()>&)> locked;
  // Whether nothing more is to be shown.
  std::function<bool()> over;
};

class Browser {
 public:
  Browser(Screen& screen, Queries& queries, ReportSettings& settings, BrowserHooks hooks);
  // Shows the code of this function first, if rows have it.
  void show_first(std::string symbol) { first_symbol_ = std::move(symbol); }
  // Until somebody has enough: empty; or what the owner is to do, as the view that left says: "open FILE", "time
  // RANGE".
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

// What a view shows at a size, as text: for tests and for files.
std::string picture_of(View& view, unsigned width, unsigned height, bool ascii);

}  // namespace peregrine::tui
