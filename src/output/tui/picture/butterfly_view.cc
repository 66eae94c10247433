#include "output/tui/picture/butterfly_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include "base/percent.h"
#include "output/text/format/fitted_line.h"
#include "output/text/format/printable.h"
#include "output/tui/menu/popup.h"
#include "output/tui/screen/canvas.h"
#include "output/tui/screen/screen.h"

namespace peregrine::tui {

namespace {

constexpr std::string_view kButterflyHelp =
    "Up, Down          move\n"
    "Enter, Right      go to the function\n"
    "Esc, Left         back to the previous function, then to the rows\n"
    "?, h              this list\n"
    "q                 back to the rows\n"
    "Ctrl-C            quit\n";

}  // namespace

ButterflyView::ButterflyView(Queries& queries, BrowseLook look, std::string symbol)
    : queries_(queries), look_(std::move(look)), way_{std::move(symbol)} {
  ask();
}

void ButterflyView::ask() {
  shown_ = queries_.butterfly(look_, way_.back());
  cursor_ = {};
}

const NamedSum* ButterflyView::chosen() const {
  const std::size_t callers = shown_.callers.size();
  if (cursor_.at < callers) return &shown_.callers[cursor_.at];
  const std::size_t at = cursor_.at - callers;
  return at < shown_.callees.size() ? &shown_.callees[at] : nullptr;
}

void ButterflyView::draw_part(Canvas& canvas, unsigned y, const std::vector<NamedSum>& sums, std::size_t from,
                              std::size_t shown) const {
  const bool callers = &sums == &shown_.callers;
  const std::size_t cursor = callers ? cursor_.at : cursor_.at - shown_.callers.size();
  const bool here = callers == (cursor_.at < shown_.callers.size());
  for (std::size_t at = from; at < std::min(from + shown, sums.size()); ++at, ++y) {
    const double share = percent_of(sums[at].period, shown_.whole);
    const unsigned x = canvas.put(2, y, fmt::format("{:>7.2f}%  ", share), share >= 5 ? Style::Hot : Style::Warm);
    canvas.put(x, y, printable(sums[at].name));
    if (here && at == cursor) canvas.paint(0, y, canvas.width(), Style::Selected);
  }
}

void ButterflyView::draw(Canvas& canvas) {
  canvas.put(0, 0, fmt::format("Callers and callees of {}", way_.back()), Style::Title);
  const std::size_t lines = canvas.height() > 7 ? canvas.height() - 7 : 2, half = lines / 2;
  const std::size_t callers = shown_.callers.size(), callees = shown_.callees.size();
  const std::size_t above = std::min(callers, std::max(half, lines - std::min(lines, callees)));
  const std::size_t below = std::min(callees, lines - above);
  const bool up = cursor_.at < callers;
  const std::size_t at = up ? cursor_.at : cursor_.at - callers;
  const auto from = [&](bool here, std::size_t shown) { return here && at >= shown ? at - shown + 1 : 0; };
  unsigned y = 1;
  canvas.put(0, y++, fmt::format("Callers ({}), % of this function", callers), Style::Header);
  draw_part(canvas, y, shown_.callers, from(up, above), above);
  if (callers == 0) canvas.put(2, y, "no callers recorded", Style::Dim);
  y += static_cast<unsigned>(std::max<std::size_t>(above, 1));
  const std::string own = fmt::format("{}: total {:.2f}%, self {:.2f}%", way_.back(),
                                      percent_of(shown_.whole, shown_.total), percent_of(shown_.own, shown_.total));
  canvas.put(1, y++, own, Style::Mark);
  canvas.put(0, y++, fmt::format("Callees ({}), % of this function", callees), Style::Header);
  draw_part(canvas, y, shown_.callees, from(!up, below), below);
  if (callees == 0) canvas.put(2, y, "no callees recorded", Style::Dim);
  std::vector<LinePart> hint{{"Enter: go to the function"}, {"Esc: back"}, {"?: keys", 1}, {"q: back to the rows"}};
  canvas.put(0, canvas.height() - 1, fitted_line(std::move(hint), canvas.width()), Style::Dim);
}

Answer ButterflyView::key(const Key& key) {
  if (ends(key)) return leave(key);
  if (asks_for_keys(key)) return show_keys(kButterflyHelp);
  if (key.code == Key::Code::Escape || key.code == Key::Code::Left || key.code == Key::Code::Backspace) {
    if (way_.size() == 1) return {.kind = Answer::Kind::Back};
    way_.pop_back();
    ask();
    return {};
  }
  if (key.code == Key::Code::Enter || key.code == Key::Code::Right) {
    if (const NamedSum* next = chosen()) {
      way_.push_back(next->name);
      ask();
    }
    return {};
  }
  cursor_.move(key, shown_.callers.size() + shown_.callees.size(), shown_.callers.size() + shown_.callees.size());
  return {};
}

}  // namespace peregrine::tui
