#include "output/tui/picture/timeline_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/browse/queries.h"
#include "base/text/counted.h"
#include "base/types.h"
#include "output/text/format/fitted_line.h"
#include "output/tui/menu/popup.h"
#include "output/tui/screen/canvas.h"
#include "output/tui/screen/screen.h"

namespace peregrine::tui {

namespace {

constexpr std::string_view kTimeHelp =
    "Left, Right, PgUp, PgDn, Home, End   move\n"
    "Space                                start a range, then move to its end\n"
    "Enter                                show only the range\n"
    "a                                    show the whole recording\n"
    "Esc                                  drop the range, then back\n"
    "?, h                                 this list\n"
    "q                                    back\n"
    "Ctrl-C                               quit\n";
constexpr std::size_t kNone = ~std::size_t{0};
constexpr unsigned kBarRows = 4, kSteps = 8;  // lines per bar, steps per line

}  // namespace

void TimelineView::draw(Canvas& canvas) {
  const std::size_t width = std::max(canvas.width(), 12u) - 2;
  if (parts_.size() != width) {
    parts_ = queries_.activity(width);
    time_ = queries_.activity_time();
    at_ = std::min(at_, width - 1);
    if (from_ != kNone) from_ = std::min(from_, width - 1);
  }
  canvas.put(0, 0, "Samples over time", Style::Title);
  if (parts_.empty()) {
    canvas.put(2, 2, "Sample times are unknown; press any key to go back.");
    return;
  }
  const u64 most = std::max<u64>(*std::ranges::max_element(parts_), 1);
  const std::size_t low = from_ == kNone ? at_ : std::min(from_, at_),
                    high = from_ == kNone ? at_ : std::max(from_, at_);
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const u64 height = (parts_[i] * kBarRows * kSteps + most - 1) / most;
    const bool chosen = from_ != kNone && i >= low && i <= high;
    for (unsigned row = 0; row < kBarRows; ++row) {
      const u64 steps = std::min<u64>(height > u64{row} * kSteps ? height - u64{row} * kSteps : 0, kSteps);
      if (steps == 0) break;
      canvas.put(static_cast<unsigned>(i) + 1, 2 + kBarRows - row, canvas.glyphs().bars[steps - 1],
                 chosen ? Style::Mark : Style::Warm);
    }
    if (chosen) canvas.put(static_cast<unsigned>(i) + 1, 3 + kBarRows, canvas.glyphs().horizontal, Style::Mark);
  }
  canvas.put(static_cast<unsigned>(at_) + 1, 3 + kBarRows, canvas.glyphs().up_arrow, Style::Key);
  const u64 sum = std::accumulate(parts_.begin() + static_cast<std::ptrdiff_t>(low),
                                  parts_.begin() + static_cast<std::ptrdiff_t>(high) + 1, u64{0});
  canvas.put(1, 5 + kBarRows,
             fmt::format("{}: {}", span_text(low, high + 1, canvas.ascii() ? "-" : "–"), counted(sum, "sample")));
  const std::vector<LinePart> move{
      {"arrows: move", 1}, {"Space: start range"}, {"a: show all", 2}, {"?: keys", 3}, {"Esc, q: back"}};
  const std::vector<LinePart> extend{
      {"arrows: extend", 2}, {"Enter: show only this range"}, {"Space: restart", 3}, {"Esc: cancel", 1}};
  canvas.put(0, canvas.height() - 1, fitted_line(from_ == kNone ? move : extend, canvas.width()), Style::Dim);
}

// In seconds, or in percent if the recording's length is unknown.
std::string TimelineView::span_text(std::size_t from, std::size_t to, std::string_view dash) const {
  const bool known = time_.length != 0;
  const double start = static_cast<double>(time_.start) / 1e9;
  const double step = (known ? static_cast<double>(time_.length) / 1e9 : 100) / static_cast<double>(parts_.size());
  int digits = known ? 2 : 1;
  for (double finest = 0.01; known && step < finest && digits < 6; finest /= 10) ++digits;
  return fmt::format("{:.{}f}{}{:.{}f}{}", start + step * static_cast<double>(from), digits, dash,
                     start + step * static_cast<double>(to), digits, known ? " s" : "%");
}

Answer TimelineView::key(const Key& key) {
  if (ends(key)) return leave(key);
  if (key.code == Key::Code::None || key.code == Key::Code::Resize) return {};
  if (asks_for_keys(key)) return show_keys(kTimeHelp);
  if (parts_.empty()) return {.kind = Answer::Kind::Back};
  const std::size_t last = parts_.size() - 1;
  switch (key.code) {
    case Key::Code::Left:
      at_ -= at_ > 0 ? 1 : 0;
      return {};
    case Key::Code::Right:
      at_ = std::min(at_ + 1, last);
      return {};
    case Key::Code::PageUp:
      at_ -= std::min<std::size_t>(at_, 10);
      return {};
    case Key::Code::PageDown:
      at_ = std::min(at_ + 10, last);
      return {};
    case Key::Code::Home:
      at_ = 0;
      return {};
    case Key::Code::End:
      at_ = last;
      return {};
    case Key::Code::Click:
      at_ = std::min<std::size_t>(key.x > 0 ? key.x - 1 : 0, last);
      if (from_ == kNone) from_ = at_;
      return {};
    case Key::Code::Escape:
      if (from_ == kNone) return {.kind = Answer::Kind::Back};
      from_ = kNone;
      return {};
    case Key::Code::Enter: {
      if (from_ == kNone) return {.kind = Answer::Kind::Back};
      const std::size_t low = std::min(from_, at_), high = std::max(from_, at_) + 1;
      const auto share = [&](std::size_t part) {
        return 100.0 * static_cast<double>(part) / static_cast<double>(parts_.size());
      };
      return {.kind = Answer::Kind::Leave, .word = fmt::format("time {:.9f}%-{:.9f}%", share(low), share(high))};
    }
    default:
      if (key.is(' ')) from_ = at_;
      if (key.is('a')) return {.kind = Answer::Kind::Leave, .word = "time "};
      return {};
  }
}

}  // namespace peregrine::tui
