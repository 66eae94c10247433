// FlameView: a text flame graph: a line per level, callers at the bottom; Enter zooms into a box.
#pragma once
#include <string>
#include <utility>

#include "analysis/hist/picture/flame_tree.h"
#include "base/types.h"
#include "output/tui/screen/canvas.h"
#include "output/tui/screen/screen.h"
#include "output/tui/screen/view.h"

namespace peregrine::tui {

class FlameView : public View {
 public:
  explicit FlameView(FlameTree tree) : tree_(std::move(tree)) {}
  void draw(Canvas& canvas) override;
  Answer key(const Key& key) override;

 private:
  struct Span {
    unsigned x = 0, width = 0;
  };
  Span span_of(u32 box, unsigned width) const;
  bool below_root(u32 box) const;
  u32 child_at(u32 parent, unsigned x) const;
  void step_aside(int direction);
  bool matches(u32 box) const;
  double matched_share() const;
  bool find_from(u32 box, bool backwards);
  Answer search();
  void draw_box(Canvas& canvas, u32 box, unsigned y) const;

  FlameTree tree_;
  u32 root_ = 0, at_ = 0;  // boxes
  unsigned width_ = 80, rows_ = 20;
  u32 first_depth_ = 0;          // of the bottom line
  std::string wanted_, status_;  // the text searched for; an answer to the last key
};

}  // namespace peregrine::tui
