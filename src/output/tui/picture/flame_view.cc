#include "output/tui/picture/flame_view.h"

#include <fmt/format.h>

#include <cmath>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/browse/queries.h"
#include "analysis/hist/picture/stack_profile.h"
#include "base/text/counted.h"
#include "base/types.h"
#include "output/text/format/fitted_line.h"
#include "output/text/format/printable.h"
#include "output/tui/menu/popup.h"
#include "output/tui/screen/canvas.h"
#include "output/tui/screen/screen.h"

namespace peregrine::tui {

namespace {

constexpr std::string_view kFlameHelp =
    "Up, Down           callee, caller\n"
    "Left, Right        box on the same level\n"
    "Enter              zoom in\n"
    "Esc, Backspace     zoom out, then back\n"
    "/                  search: marks matching functions, and shows their share\n"
    "n, N               next match, previous match\n"
    "?, h               this list\n"
    "q                  back\n"
    "Ctrl-C             quit\n";

Style style_of(CodeKind kind) {
  switch (kind) {
    case CodeKind::Kernel:
    case CodeKind::Module:
      return Style::Kernel;
    case CodeKind::Library:
      return Style::Warm;
    case CodeKind::Jit:
      return Style::Added;
    case CodeKind::Unresolved:
      return Style::Dim;
    default:
      return Style::Plain;
  }
}

}  // namespace

// Boxes that round to zero columns get an empty span.
FlameView::Span FlameView::span_of(u32 box, unsigned width) const {
  const FlameBox& whole = tree_.boxes[root_];
  const FlameBox& at = tree_.boxes[box];
  if (whole.period == 0) return {};
  if (at.depth <= whole.depth) return {0, width};
  const auto column = [&](u64 offset) {
    return static_cast<unsigned>(std::lround(static_cast<double>(offset) * width / static_cast<double>(whole.period)));
  };
  const unsigned left = column(at.offset - whole.offset);
  return {left, column(at.offset - whole.offset + at.period) - left};
}

bool FlameView::below_root(u32 box) const {
  const FlameBox& whole = tree_.boxes[root_];
  const FlameBox& at = tree_.boxes[box];
  return at.offset >= whole.offset && at.offset + at.period <= whole.offset + whole.period && at.depth >= whole.depth;
}

void FlameView::draw_box(Canvas& canvas, u32 box, unsigned y) const {
  const Span span = span_of(box, width_);
  if (span.width == 0) return;
  const FlameBox& at = tree_.boxes[box];
  const Style style = box == at_ ? Style::Selected : matches(box) ? Style::Mark : style_of(at.kind);
  if (span.width == 1) {
    canvas.put(span.x, y, canvas.glyphs().vertical, style);
    return;
  }
  canvas.put(span.x, y, U'[', style);
  canvas.fill(span.x + 1, y, span.width - 2, style, U' ');
  canvas.put(span.x + 1, y, printable(at.name), style, span.width - 2);
  canvas.put(span.x + span.width - 1, y, U']', style);
}

void FlameView::draw(Canvas& canvas) {
  width_ = canvas.width();
  rows_ = canvas.height() > 3 ? canvas.height() - 3 : 1;
  const FlameBox& at = tree_.boxes[at_];
  const FlameBox& all = tree_.boxes[0];
  const double share = all.period == 0 ? 0 : 100 * static_cast<double>(at.period) / static_cast<double>(all.period);
  canvas.put(0, 0,
             fmt::format("Flame graph: {:.2f}%  {}  {}", share, counted(at.samples, "sample"), printable(at.name)),
             Style::Title);
  if (at.depth < first_depth_) first_depth_ = at.depth;
  if (at.depth >= first_depth_ + rows_) first_depth_ = at.depth - rows_ + 1;
  const u32 root_depth = tree_.boxes[root_].depth;
  for (u32 box = 0; box < tree_.boxes.size(); ++box) {
    const u32 depth = tree_.boxes[box].depth;
    const bool way = depth < root_depth;
    if (depth < first_depth_ || depth >= first_depth_ + rows_) continue;
    if (way ? !(tree_.boxes[box].offset <= tree_.boxes[root_].offset &&
                tree_.boxes[box].offset + tree_.boxes[box].period >=
                    tree_.boxes[root_].offset + tree_.boxes[root_].period)
            : !below_root(box))
      continue;
    draw_box(canvas, box, canvas.height() - 2 - (depth - first_depth_));
  }
  std::vector<LinePart> hint{{"arrows: move", 4}, {"Enter: zoom in"}, {"Esc: zoom out, back", 1},
                             {"/: find", 3},      {"?: keys", 2},     {counted(tree_.depth, "level"), 5}};
  if (tree_.pruned != 0)
    hint.push_back({fmt::format("{} hidden", counted(tree_.pruned, "narrow branch", "narrow branches")), 2});
  hint.push_back({"q: back"});
  canvas.put(0, canvas.height() - 1, status_.empty() ? fitted_line(std::move(hint), canvas.width()) : status_,
             status_.empty() ? Style::Dim : Style::Key);
}

bool FlameView::matches(u32 box) const {
  return box != 0 && !wanted_.empty() && contains_any_case(tree_.boxes[box].name, wanted_);
}

// Percent of all samples in stacks with a matching box; parents come before their children.
double FlameView::matched_share() const {
  std::vector<bool> inside(tree_.boxes.size());
  u64 period = 0;
  for (u32 box = 1; box < tree_.boxes.size(); ++box) {
    inside[box] = inside[tree_.boxes[box].parent] || matches(box);
    if (inside[box] && !inside[tree_.boxes[box].parent]) period += tree_.boxes[box].period;
  }
  const u64 whole = tree_.boxes[0].period;
  return whole == 0 ? 0 : 100 * static_cast<double>(period) / static_cast<double>(whole);
}

// Moves to the next matching box, in the order of the tree, and zooms in if it is too narrow to be seen.
bool FlameView::find_from(u32 box, bool backwards) {
  const auto count = static_cast<u32>(tree_.boxes.size());
  for (u32 step = 1; step <= count; ++step) {
    const u32 next = (box + (backwards ? count - step : step)) % count;
    if (!matches(next)) continue;
    at_ = next;
    if (!below_root(at_)) root_ = 0;
    if (span_of(at_, width_).width == 0) root_ = tree_.boxes[at_].parent;
    if (span_of(at_, width_).width == 0) root_ = at_;
    status_ =
        fmt::format("stacks with '{}': {:.2f}%   n, N: next, previous match", printable(wanted_), matched_share());
    return true;
  }
  return false;
}

Answer FlameView::search() {
  return ask_what_to_find(wanted_, status_, [this] { return wanted_.empty() || find_from(at_, false); });
}

// The child above column `x`, or the widest child if none is there.
u32 FlameView::child_at(u32 parent, unsigned x) const {
  u32 widest = parent;
  for (u32 box = parent + 1; box < tree_.boxes.size(); ++box) {
    if (tree_.boxes[box].parent != parent) continue;
    const Span span = span_of(box, width_);
    if (span.width > 0 && x >= span.x && x < span.x + span.width) return box;
    if (widest == parent || tree_.boxes[box].period > tree_.boxes[widest].period) widest = box;
  }
  return widest;
}

// Moves to the nearest box on the same level, under any parent.
void FlameView::step_aside(int direction) {
  const FlameBox& at = tree_.boxes[at_];
  u32 best = at_;
  for (u32 box = 0; box < tree_.boxes.size(); ++box) {
    const FlameBox& other = tree_.boxes[box];
    if (other.depth != at.depth || box == at_ || !below_root(box) || span_of(box, width_).width == 0) continue;
    if (direction < 0 ? other.offset >= at.offset : other.offset <= at.offset) continue;
    if (best == at_ ||
        (direction < 0 ? other.offset > tree_.boxes[best].offset : other.offset < tree_.boxes[best].offset))
      best = box;
  }
  at_ = best;
}

Answer FlameView::key(const Key& key) {
  if (ends(key)) return leave(key);
  if (key.code == Key::Code::None || key.code == Key::Code::Resize) return {};
  status_.clear();
  if (key.is('/')) return search();
  if (asks_for_keys(key)) return show_keys(kFlameHelp);
  if (key.is('n') || key.is('N')) {
    if (wanted_.empty()) return search();
    if (!find_from(at_, key.is('N'))) status_ = "not found: " + wanted_;
    return {};
  }
  const Span span = span_of(at_, width_);
  switch (key.code) {
    case Key::Code::Up:
      at_ = child_at(at_, span.x + span.width / 2);
      return {};
    case Key::Code::Down:
      at_ = tree_.boxes[at_].parent;
      return {};
    case Key::Code::Left:
      step_aside(-1);
      return {};
    case Key::Code::Right:
      step_aside(1);
      return {};
    case Key::Code::Enter:
      root_ = at_;
      return {};
    case Key::Code::Click:
    case Key::Code::DoubleClick:
      if (key.y < 2 || key.y >= rows_ + 2) return {};  // for the title and the hint
      for (u32 box = 0; box < tree_.boxes.size(); ++box) {
        const Span there = span_of(box, width_);
        const unsigned line = rows_ + 1 - key.y;
        if (below_root(box) && tree_.boxes[box].depth == first_depth_ + line && key.x >= there.x &&
            key.x < there.x + there.width) {
          if (box == at_) root_ = box;
          at_ = box;
          break;
        }
      }
      return {};
    case Key::Code::Escape:
    case Key::Code::Backspace:
      if (root_ == 0) return {.kind = Answer::Kind::Back};
      root_ = tree_.boxes[root_].parent;
      return {};
    default:
      return {};
  }
}

}  // namespace peregrine::tui
