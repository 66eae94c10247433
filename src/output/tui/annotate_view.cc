#include "output/tui/annotate_view.h"

#include <algorithm>

#include "output/text/annotate_page.h"
#include "output/text/printable.h"
#include "output/tui/popup.h"

namespace peregrine::tui {

namespace {

constexpr unsigned kWide = 130;      // columns from which source stands beside the code
constexpr unsigned kCostWidth = 12;  // of one event
constexpr double kHot = 5, kWarm = 0.5;

constexpr std::string_view kHelp =
    "Up Down PgUp PgDn Home End   lines\n"
    "H                            the hottest instruction\n"
    "Tab, Shift-Tab               the next, the one before, by heat\n"
    "Enter, Right                 to where a jump leads\n"
    "/, n                         find a text, the next one\n"
    "s                            source on, off\n"
    "o                            offsets or addresses\n"
    "r                            bytes of instructions\n"
    "k                            numbers of source lines\n"
    "t                            percentages, periods, samples\n"
    "p                            of this function, of everything\n"
    "b                            by period, by number of samples\n"
    "Esc, Left                    back\n"
    "q                            quit\n";

}  // namespace

AnnotateView::AnnotateView(AnnotatedCode code, std::function<Result<AnnotatedCode>()> again)
    : code_(std::move(code)), again_(std::move(again)) {
  find_hottest();
  make_lines();
  go_to_hottest(0);
}

void AnnotateView::renew() {
  auto fresh = again_();
  if (!fresh) return;
  const std::size_t line = cursor_.at;
  code_ = std::move(*fresh);
  find_hottest();
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

std::string AnnotateView::text_of(std::size_t instruction) const {
  const ListingLine& line = code_.listing.lines[instruction];
  std::string text = addresses_ ? fmt::format("{:>9x}: ", code_.listing.code.address + line.offset)
                                : fmt::format("{:>5x}: ", line.offset);
  if (bytes_) {
    std::string bytes;
    for (u64 at = line.offset; at < line.offset + line.code.size && at < code_.listing.code.bytes.size(); ++at)
      bytes += fmt::format("{:02x} ", std::to_integer<unsigned>(code_.listing.code.bytes[at]));
    text += fmt::format("{:<24}", bytes);
  }
  text += fmt::format("{:<6} {}", line.code.mnemonic, line.target.empty() || !line.inside ? line.code.operands : "");
  if (!line.target.empty()) text += fmt::format("{}<{}>", line.inside ? "" : " ", printable(line.target));
  if (!line.data.empty()) text += fmt::format("   # <{}>", printable(line.data));
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

void AnnotateView::draw_source(Canvas& canvas, unsigned x, unsigned y, const SourceRow& row) const {
  if (numbers_ && row.number != 0) x = canvas.put(x, y, fmt::format("{:>5} ", row.number), Style::Dim);
  canvas.put(x, y, printable(row.text), Style::Added);
}

void AnnotateView::draw_instruction(Canvas& canvas, unsigned y, std::size_t instruction, unsigned width) const {
  unsigned x = 0;
  for (std::size_t event = 0; event < code_.events.size(); ++event, x += kCostWidth) {
    const double part = share(instruction, event);
    canvas.put(x, y, cost(instruction, event), part >= kHot ? Style::Hot : part >= kWarm ? Style::Warm : Style::Plain);
  }
  const Line& here = lines_[cursor_.at];
  const std::size_t target = target_of(instruction);
  if (here.source == kNone && target_of(here.instruction) == instruction)
    canvas.put(x - 2, y, U'>', Style::Mark);
  else if (target != kNone)
    canvas.put(x - 2, y, target <= instruction ? canvas.glyphs().up_arrow : canvas.glyphs().down_arrow, Style::Dim);
  const std::string text = text_of(instruction);
  canvas.put(x, y, text, Style::Plain, width > x ? width - x : 0);
  if (!wanted_.empty() && contains_any_case(text, wanted_)) canvas.put(x - 1, y, U'*', Style::Mark);
}

// The source rows around the instruction of the cursor, as far as the listing has them, its own in the middle.
void AnnotateView::draw_beside(Canvas& canvas, unsigned left) const {
  std::vector<const SourceRow*> rows;
  std::size_t mark = 0;
  for (std::size_t i = 0; i < code_.listing.lines.size(); ++i) {
    for (const SourceRow& row : code_.listing.lines[i].source) rows.push_back(&row);
    if (i <= lines_[cursor_.at].instruction && !rows.empty()) mark = rows.size() - 1;
  }
  const std::size_t first = mark > height_ / 2 ? mark - height_ / 2 : 0;
  for (std::size_t at = 0; at < height_; ++at) {
    const unsigned y = 2 + static_cast<unsigned>(at);
    canvas.put(left, y, canvas.glyphs().vertical, Style::Dim);
    if (first + at >= rows.size()) continue;
    draw_source(canvas, left + 2, y, *rows[first + at]);
    if (first + at == mark) canvas.paint(left + 1, y, canvas.width(), Style::Selected);
  }
}

void AnnotateView::draw(Canvas& canvas) {
  const bool wide = canvas.width() >= kWide && source_;
  if (wide != beside_) {
    const std::size_t instruction = lines_.empty() ? 0 : lines_[cursor_.at].instruction;
    beside_ = wide;
    make_lines();
    if (!lines_.empty()) go_to(instruction);
  }
  height_ = canvas.height() > 3 ? canvas.height() - 3 : 1;
  cursor_.settle(lines_.size(), height_);
  const EventHits& hits = code_.hits.events[code_.events[0]];
  canvas.put(
      0, 0,
      fmt::format("{}  {}  {} samples", printable(code_.listing.symbol), printable(code_.dso), hits.total.samples),
      Style::Title);
  canvas.put(0, 1,
             fmt::format("{:>8}  {}",
                         column_ == Column::Percent  ? "Percent"
                         : column_ == Column::Period ? "Period"
                                                     : "Samples",
                         column_ == Column::Percent ? describe(type_) : ""),
             Style::Header);
  const unsigned left = beside_ ? canvas.width() / 2 : canvas.width();
  for (std::size_t at = 0; at < height_ && cursor_.first + at < lines_.size(); ++at) {
    const Line& line = lines_[cursor_.first + at];
    const unsigned y = 2 + static_cast<unsigned>(at);
    if (line.source == kNone)
      draw_instruction(canvas, y, line.instruction, left - 1);
    else
      draw_source(canvas, kCostWidth * static_cast<unsigned>(code_.events.size()), y,
                  code_.listing.lines[line.instruction].source[line.source]);
    if (cursor_.first + at == cursor_.at) canvas.paint(0, y, left - 1, Style::Selected);
  }
  if (beside_ && !lines_.empty()) draw_beside(canvas, left);
  canvas.put(0, canvas.height() - 1,
             status_.empty() ? "?: keys  H: hottest  Tab: next by heat  /: find  s: source  t, p, b: numbers  Esc: back"
                             : status_,
             status_.empty() ? Style::Dim : Style::Key);
}

Answer AnnotateView::key(const Key& key) {
  if (key.code == Key::Code::None) return {};
  status_.clear();
  if (cursor_.move(key, lines_.size(), height_)) return {};
  switch (key.code) {
    case Key::Code::Escape:
    case Key::Code::Left:
    case Key::Code::Backspace:
      return {.kind = Answer::Kind::Back};
    case Key::Code::Tab:
      go_to_hottest(hot_place_ + 1);
      return {};
    case Key::Code::BackTab:
      go_to_hottest(hot_place_ + hottest_.size() - std::min<std::size_t>(hottest_.size(), 1));
      return {};
    case Key::Code::Enter:
    case Key::Code::Right:
      if (lines_.empty()) return {};
      if (const std::size_t target = target_of(lines_[cursor_.at].instruction); target != kNone)
        go_to(target);
      else
        status_ = "no jump inside of this function";
      return {};
    case Key::Code::Click:
      if (key.y >= 2) cursor_.at = cursor_.first + key.y - 2;
      cursor_.settle(lines_.size(), height_);
      return {};
    case Key::Code::Char:
      return letter(key.glyph);
    default:
      return {};
  }
}

Answer AnnotateView::letter(char32_t letter) {
  switch (letter) {
    case 'q':
    case 3:
      return {.kind = Answer::Kind::Quit};
    case 'h':
    case '?':
      return {.kind = Answer::Kind::Open, .view = std::make_unique<TextView>(" Keys ", kHelp)};
    case 'H':
      go_to_hottest(0);
      return {};
    case 's': {
      const std::size_t instruction = lines_.empty() ? 0 : lines_[cursor_.at].instruction;
      source_ = !source_;
      if (!source_) beside_ = false;
      make_lines();
      if (!lines_.empty()) go_to(instruction);
      return {};
    }
    case 'o':
      addresses_ = !addresses_;
      return {};
    case 'r':
      bytes_ = !bytes_;
      return {};
    case 'k':
      numbers_ = !numbers_;
      return {};
    case 't':
      column_ = column_ == Column::Percent  ? Column::Period
                : column_ == Column::Period ? Column::Samples
                                            : Column::Percent;
      return {};
    case 'p':
      type_.base = type_.base == PercentBase::Symbol ? PercentBase::Recording : PercentBase::Symbol;
      return {};
    case 'b':
      type_.of = type_.of == PercentOf::Period ? PercentOf::Samples : PercentOf::Period;
      find_hottest();
      return {};
    case '/':
      return search();
    case 'n':
      if (!search_from(cursor_.at + 1)) status_ = "not found below";
      return {};
    default:
      status_ = "? lists the keys";
      return {};
  }
}

bool AnnotateView::search_from(std::size_t start) {
  for (std::size_t at = start; at < lines_.size(); ++at) {
    const Line& line = lines_[at];
    const std::string text = line.source == kNone ? text_of(line.instruction)
                                                  : code_.listing.lines[line.instruction].source[line.source].text;
    if (!contains_any_case(text, wanted_)) continue;
    cursor_.at = at;
    cursor_.settle(lines_.size(), height_);
    return true;
  }
  return false;
}

Answer AnnotateView::search() {
  const std::size_t start = cursor_.at;
  return {.kind = Answer::Kind::Open,
          .view = std::make_unique<PromptView>(
              "find:", "",
              [this, start](const std::string& text) {
                wanted_ = text;
                cursor_.at = start;
                if (!text.empty()) search_from(start);
              },
              [this, start](const std::string&, bool accepted) {
                if (!accepted) {
                  wanted_.clear();
                  cursor_.at = start;
                }
                return Answer{.kind = Answer::Kind::Back};
              })};
}

}  // namespace peregrine::tui
