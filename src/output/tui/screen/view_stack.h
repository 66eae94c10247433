// ViewStack: a stack of views on a screen; the topmost gets the keys. One thread.
#pragma once
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "output/tui/screen/screen.h"
#include "output/tui/screen/view.h"

namespace peregrine::tui {

class ViewStack {
 public:
  explicit ViewStack(Screen& screen) : screen_(screen) {}

  void open(std::unique_ptr<View> view) { views_.push_back(std::move(view)); }
  // Whether only the first view is open.
  bool is_flat() const { return views_.size() == 1; }
  void replace_bottom(std::unique_ptr<View> view) { views_.front() = std::move(view); }
  View& bottom() { return *views_.front(); }
  View& top() { return *views_.back(); }
  void draw();
  // Returns false to end.
  bool obey(const Key& key);
  // The profile has changed.
  void renew();
  // Also returns when `changed_fd`, or the topmost view's descriptor, is readable; -1: none.
  Key wait_key(int milliseconds, int changed_fd);
  // The request that the leaving view made to the owner.
  const std::string& left() const { return left_; }

 private:
  Screen& screen_;
  std::vector<std::unique_ptr<View>> views_;
  std::string left_;
};

// Shows a view of static data, and what it opens, until the user leaves.
void show_views(Screen& screen, std::unique_ptr<View> first);

}  // namespace peregrine::tui
