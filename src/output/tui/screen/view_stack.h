// ViewStack: views on a screen, one over the other: the topmost gets the keys. One thread.
#pragma once
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "output/tui/screen/screen.h"
#include "output/tui/screen/view.h"

namespace peregrine::tui {

class ViewStack {
 public:
  explicit ViewStack(Screen& screen) : screen_(screen) {}

  void open(std::unique_ptr<View> view) { views_.push_back(std::move(view)); }
  // Whether nothing is open over the first view.
  bool is_flat() const { return views_.size() == 1; }
  void replace_bottom(std::unique_ptr<View> view) { views_.front() = std::move(view); }
  View& bottom() { return *views_.front(); }
  View& top() { return *views_.back(); }
  void draw();
  // False: the end.
  bool obey(const Key& key);
  // The profile is another one now.
  void renew();
  // Also wakes up when `changed_fd` can be read, or what the topmost view waits for; -1: nothing.
  Key wait_key(int milliseconds, int changed_fd);
  // What the view that left the screen says the owner is to do.
  const std::string& left() const { return left_; }

 private:
  Screen& screen_;
  std::vector<std::unique_ptr<View>> views_;
  std::string left_;
};

// Shows a view and what it opens, of things that do not change, until somebody has enough.
void show_views(Screen& screen, std::unique_ptr<View> first);

}  // namespace peregrine::tui
