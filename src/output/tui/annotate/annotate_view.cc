#include "output/tui/annotate/annotate_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>

#include "analysis/annotate/listing.h"
#include "analysis/annotate/symbol_hits.h"
#include "analysis/browse/queries.h"
#include "base/result.h"
#include "base/text/counted.h"
#include "base/types.h"
#include "output/text/annotate/annotate_page.h"
#include "output/text/format/fitted_line.h"
#include "output/text/format/printable.h"
#include "output/tui/screen/canvas.h"

namespace peregrine::tui {

namespace {

constexpr unsigned kWide = 130;      // minimum screen width to show source next to the code
constexpr unsigned kCostWidth = 12;  // per event
constexpr unsigned kSpeedWidth = 6, kCyclesWidth = 9, kBoundsWidth = 21;
constexpr double kHotLine = 5, kWarmLine = 0.5;

}  // namespace

AnnotateView::AnnotateView(AnnotatedCode code, std::function<Result<AnnotatedCode>()> again,
                           const ReportSettings& settings)
    : code_(std::move(code)),
      flow_(code_flow(code_.listing, code_.hits.runs)),
      again_(std::move(again)),
      settings_(settings) {
  find_hottest();
  find_targets();
  make_lines();
  go_to_hottest(0);
  if (settings_.types) toggle_types();
}

void AnnotateView::renew() {
  auto fresh = again_();
  if (!fresh) return;
  // New hits, the same code: the line of the cursor keeps its meaning.
  const std::size_t line = cursor_.at;
  code_ = std::move(*fresh);
  if (types_ && code_.add_types) code_.add_types(code_.listing);
  flow_ = code_flow(code_.listing, code_.hits.runs);
  find_hottest();
  find_targets();
  make_lines();
  cursor_.at = line;
}

double AnnotateView::share(std::size_t instruction, std::size_t event) const {
  const EventHits& hits = code_.hits.events[code_.events[event]];
  const Hits here = hits.between(code_.listing.lines[instruction].offset, end_of_line(code_.listing, instruction));
  return percent(here, hits.total, code_.totals[code_.events[event]], type_);
}

void AnnotateView::find_hottest() {
  hottest_.clear();
  for (std::size_t i = 0; i < code_.listing.lines.size(); ++i)
    if (share(i, 0) > 0) hottest_.push_back(i);
  std::ranges::stable_sort(hottest_, [&](std::size_t a, std::size_t b) { return share(a, 0) > share(b, 0); });
}

void AnnotateView::find_targets() {
  jumps_to_.assign(code_.listing.lines.size(), 0);
  for (std::size_t i = 0; i < code_.listing.lines.size(); ++i)
    if (const std::size_t target = target_of(i); target != kNone) ++jumps_to_[target];
}

void AnnotateView::make_lines() {
  lines_.clear();
  for (std::size_t i = 0; i < code_.listing.lines.size(); ++i) {
    if (source_ && !beside_)
      for (std::size_t row = 0; row < code_.listing.lines[i].source.size(); ++row) lines_.push_back({i, row});
    lines_.push_back({i, kNone});
  }
  cursor_.settle(lines_.size(), height_);
}

void AnnotateView::go_to(std::size_t instruction) {
  const auto found = std::ranges::find_if(
      lines_, [&](const Line& line) { return line.instruction == instruction && line.source == kNone; });
  cursor_.at = static_cast<std::size_t>(found - lines_.begin());
  cursor_.first = cursor_.at > height_ / 2 ? cursor_.at - height_ / 2 : 0;
  cursor_.settle(lines_.size(), height_);
}

void AnnotateView::go_to_offset(u64 offset) {
  const auto& lines = code_.listing.lines;
  const auto at = std::ranges::lower_bound(lines, offset, {}, &ListingLine::offset);
  if (at != lines.end()) go_to(static_cast<std::size_t>(at - lines.begin()));
}

void AnnotateView::go_to_hottest(std::size_t place) {
  if (hottest_.empty()) return;
  hot_place_ = place % hottest_.size();
  go_to(hottest_[hot_place_]);
}

std::string AnnotateView::cost(std::size_t instruction, std::size_t event) const {
  const EventHits& hits = code_.hits.events[code_.events[event]];
  const Hits here = hits.between(code_.listing.lines[instruction].offset, end_of_line(code_.listing, instruction));
  if (here.samples == 0) return {};
  if (column_ == Column::Period) return fmt::format("{:>11}", here.period);
  if (column_ == Column::Samples) return fmt::format("{:>8}", here.samples);
  return fmt::format("{:>8.2f}", share(instruction, event));
}

// Speed and cycles; blank unless branches were recorded with cycles.
std::string AnnotateView::flow_text(std::size_t instruction) const {
  const LineFlow& flow = flow_.lines[instruction];
  std::string text = flow.cycles == 0 ? std::string(kSpeedWidth, ' ') : fmt::format("{:>5.2f} ", flow.speed());
  if (flow.timed == 0) return text;
  const u64 mean = flow.timed_cycles / flow.timed;
  return text + (cycles_ == Cycles::Mean ? fmt::format("{:>6}", mean)
                                         : fmt::format("{:>6} ({}/{})", mean, flow.least, flow.most));
}

unsigned AnnotateView::flow_width() const {
  if (!flow_.timed()) return 0;
  return kSpeedWidth + (cycles_ == Cycles::Mean ? kCyclesWidth : kBoundsWidth);
}

// The label of an instruction: its offset or address, or blanks if it is hidden.
std::string AnnotateView::label(std::size_t instruction) const {
  const ListingLine& line = code_.listing.lines[instruction];
  const bool call = !line.target.empty() && !line.inside;
  const bool shown =
      raw_ || offsets_ == Offsets::All || jumps_to_[instruction] > 0 || (offsets_ == Offsets::Calls && call);
  const unsigned width = addresses_ || raw_ ? 9 : 5;
  if (!shown) return std::string(width + 2, ' ');
  return fmt::format("{:>{}x}: ", addresses_ || raw_ ? code_.listing.code.address + line.offset : line.offset, width);
}

std::string AnnotateView::text_of(std::size_t instruction) const {
  const ListingLine& line = code_.listing.lines[instruction];
  std::string text;
  if (jump_counts_) text = jumps_to_[instruction] > 0 ? fmt::format("{:>3} ", jumps_to_[instruction]) : "    ";
  text += label(instruction);
  if (raw_) {
    std::string bytes;
    for (u64 at = line.offset; at < line.offset + line.code.size && at < code_.listing.code.bytes.size(); ++at)
      bytes += fmt::format("{:02x} ", std::to_integer<unsigned>(code_.listing.code.bytes[at]));
    text += fmt::format("{:<24}", bytes);
  }
  text += fmt::format("{:<6} {}", line.code.mnemonic, line.target.empty() || !line.inside ? line.code.operands : "");
  if (!line.target.empty()) text += fmt::format("{}<{}>", line.inside ? "" : " ", printable(line.target));
  if (!line.data.empty()) text += fmt::format("   # <{}>", printable(line.data));
  if (types_ && !line.data_type.empty()) text += fmt::format("   # data-type: {}", printable(line.data_type));
  return text;
}

std::size_t AnnotateView::target_of(std::size_t instruction) const {
  const ListingLine& line = code_.listing.lines[instruction];
  if (!line.inside || !line.code.target) return kNone;
  const u64 offset = *line.code.target - code_.listing.code.address;
  for (std::size_t i = 0; i < code_.listing.lines.size(); ++i)
    if (code_.listing.lines[i].offset == offset) return i;
  return kNone;
}

void AnnotateView::draw_source(Canvas& canvas, unsigned x, unsigned y, const SourceRow& row,
                               const std::string& place) const {
  if (files_ && row.number != 0) {
    const std::string_view file = std::string_view(place).substr(0, place.rfind(':'));
    canvas.put(x, y, printable(fmt::format("{}:{}  {}", file, row.number, row.text)), Style::Added);
    return;
  }
  if (numbers_ && row.number != 0) x = canvas.put(x, y, fmt::format("{:>5} ", row.number), Style::Dim);
  canvas.put(x, y, printable(row.text), Style::Added);
}

void AnnotateView::draw_instruction(Canvas& canvas, unsigned y, std::size_t instruction, unsigned width) const {
  unsigned x = 0;
  for (std::size_t event = 0; event < code_.events.size(); ++event, x += kCostWidth) {
    const double part = share(instruction, event);
    canvas.put(x, y, cost(instruction, event),
               part >= kHotLine    ? Style::Hot
               : part >= kWarmLine ? Style::Warm
                                   : Style::Plain);
  }
  if (flow_.timed()) {
    canvas.put(x, y, flow_text(instruction), Style::Plain);
    x += flow_width();
  }
  const Line& here = lines_[cursor_.at];
  const std::size_t target = target_of(instruction);
  if (arrows_ && here.source == kNone && target_of(here.instruction) == instruction)
    canvas.put(x - 2, y, U'>', Style::Mark);
  else if (arrows_ && target != kNone)
    canvas.put(x - 2, y, target <= instruction ? canvas.glyphs().up_arrow : canvas.glyphs().down_arrow, Style::Dim);
  const std::string text = text_of(instruction);
  canvas.put(x, y, text, Style::Plain, width > x ? width - x : 0);
  if (!wanted_.empty() && contains_any_case(text, wanted_)) canvas.put(x - 1, y, U'*', Style::Mark);
}

// Draws the listing's source rows around the selected instruction, with the instruction's row in the middle.
void AnnotateView::draw_beside(Canvas& canvas, unsigned left) const {
  std::vector<std::pair<const SourceRow*, const std::string*>> rows;
  std::size_t mark = 0;
  for (std::size_t i = 0; i < code_.listing.lines.size(); ++i) {
    for (const SourceRow& row : code_.listing.lines[i].source) rows.emplace_back(&row, &code_.listing.lines[i].place);
    if (i <= lines_[cursor_.at].instruction && !rows.empty()) mark = rows.size() - 1;
  }
  const std::size_t first = mark > height_ / 2 ? mark - height_ / 2 : 0;
  for (std::size_t at = 0; at < height_; ++at) {
    const unsigned y = 2 + static_cast<unsigned>(at);
    canvas.put(left, y, canvas.glyphs().vertical, Style::Dim);
    if (first + at >= rows.size()) continue;
    draw_source(canvas, left + 2, y, *rows[first + at].first, *rows[first + at].second);
    if (first + at == mark) canvas.paint(left + 1, y, canvas.width(), Style::Selected);
  }
}

void AnnotateView::draw_heading(Canvas& canvas) const {
  const EventHits& hits = code_.hits.events[code_.events[0]];
  std::vector<LinePart> heading{
      {printable(code_.listing.symbol)}, {printable(code_.dso), 3}, {counted(hits.total.samples, "sample"), 2}};
  if (flow_.timed())
    heading.push_back({fmt::format("IPC {:.2f}, coverage {:.1f}%", flow_.speed(), 100 * flow_.covered()), 1});
  canvas.put(0, 0, fitted_line(std::move(heading), canvas.width()), Style::Title);
  const std::string_view title = column_ == Column::Percent  ? "Percent"
                                 : column_ == Column::Period ? "Period"
                                                             : "Samples";
  std::string titles = fmt::format("{:>8}", title);
  if (flow_.timed()) {
    titles.resize(kCostWidth * code_.events.size(), ' ');
    titles += fmt::format("{:>5} {:>6}{}", "IPC", "Cycle", cycles_ == Cycles::Mean ? "" : " (min/max)");
  }
  if (column_ == Column::Percent) titles += fmt::format("  {}", describe(type_));
  canvas.put(0, 1, titles, Style::Header);
}

void AnnotateView::draw(Canvas& canvas) {
  const bool wide = canvas.width() >= kWide && source_;
  // Source rows are lines of the listing on a narrow screen, but not on a wide one, so the lines change with the
  // width.
  if (wide != beside_) {
    const std::size_t instruction = lines_.empty() ? 0 : lines_[cursor_.at].instruction;
    beside_ = wide;
    make_lines();
    if (!lines_.empty()) go_to(instruction);
  }
  height_ = canvas.height() > 3 ? canvas.height() - 3 : 1;
  cursor_.settle(lines_.size(), height_);
  draw_heading(canvas);
  const unsigned left = beside_ ? canvas.width() / 2 : canvas.width();
  for (std::size_t at = 0; at < height_ && cursor_.first + at < lines_.size(); ++at) {
    const Line& line = lines_[cursor_.first + at];
    const unsigned y = 2 + static_cast<unsigned>(at);
    if (line.source == kNone)
      draw_instruction(canvas, y, line.instruction, left - 1);
    else
      draw_source(canvas, kCostWidth * static_cast<unsigned>(code_.events.size()) + flow_width(), y,
                  code_.listing.lines[line.instruction].source[line.source],
                  code_.listing.lines[line.instruction].place);
    if (cursor_.first + at == cursor_.at) canvas.paint(0, y, left - 1, Style::Selected);
  }
  if (beside_ && !lines_.empty()) draw_beside(canvas, left);
  const std::string hint = fitted_line({{"h: keys"},
                                        {"H: hottest", 2},
                                        {"Tab: next hottest", 4},
                                        {"/: find", 1},
                                        {"s: source", 3},
                                        {"t, p, b: columns", 5},
                                        {"q: back"}},
                                       canvas.width());
  canvas.put(0, canvas.height() - 1, status_.empty() ? hint : status_, status_.empty() ? Style::Dim : Style::Key);
}

}  // namespace peregrine::tui
