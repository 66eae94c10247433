#include "output/tui/menu/output_view.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string_view>

#include "analysis/browse/queries.h"
#include "base/text/counted.h"
#include "output/text/format/printable.h"
#include "output/tui/menu/popup.h"
#include "output/tui/screen/canvas.h"
#include "output/tui/screen/list_cursor.h"
#include "output/tui/screen/screen.h"

namespace peregrine::tui {

namespace {

constexpr std::string_view kOutputHelp =
    "Up, Down, PgUp, PgDn, Home, End   move\n"
    "Left, Right                       scroll wide lines\n"
    "/                                 search\n"
    "n                                 next match\n"
    "?, h                              this list\n"
    "q, Esc                            back; ends a script that still runs\n"
    "Ctrl-C                            quit\n";
constexpr std::size_t kMostLines = 100'000;
constexpr std::size_t kStep = 16;  // columns per Left or Right key

std::string without_tabs(std::string_view line) {
  constexpr std::size_t kTab = 8;
  std::string out;
  for (const char c : line) {
    if (c == '\t')
      out.append(kTab - display_width(printable(out)) % kTab, ' ');
    else
      out += c;
  }
  return out;
}

}  // namespace

void OutputView::read() {
  if (!source_) return;
  const bool goes_on = source_->read(rest_);
  std::size_t from = 0;
  for (std::size_t end; (end = rest_.find('\n', from)) != rest_.npos && lines_.size() < kMostLines; from = end + 1)
    lines_.push_back(without_tabs(std::string_view(rest_).substr(from, end - from)));
  rest_.erase(0, from);
  cut_ = lines_.size() >= kMostLines;
  if (goes_on && !cut_) return;
  if (!rest_.empty() && !cut_) lines_.push_back(without_tabs(rest_));
  rest_.clear();
  source_.reset();
}

void OutputView::draw(Canvas& canvas) {
  height_ = canvas.height() > 2 ? canvas.height() - 2 : 1;
  first_ = std::min(first_, lines_.size() > height_ ? lines_.size() - height_ : 0);
  const std::string count = counted(lines_.size(), "line");
  const std::string_view state = source_ ? "running" : cut_ ? "truncated; a shell shows all lines" : "";
  const auto behind = static_cast<unsigned>(count.size() + state.size() + 4);
  unsigned x = canvas.put(0, 0, printable(title_), Style::Title, canvas.width() > behind ? canvas.width() - behind : 0);
  x = canvas.put(x + 2, 0, count, Style::Dim);
  canvas.put(x + 2, 0, state, Style::Mark);
  for (std::size_t at = 0; at < height_ && first_ + at < lines_.size(); ++at) {
    const std::string line = printable(lines_[first_ + at]);
    const std::string_view skipped = first_columns(line, static_cast<unsigned>(left_));
    const bool found = !wanted_.empty() && contains_any_case(line, wanted_);
    canvas.put(0, 1 + static_cast<unsigned>(at), std::string_view(line).substr(skipped.size()),
               found ? Style::Mark : Style::Plain, canvas.width() - 1);
  }
  canvas.scroll_bar(1, static_cast<unsigned>(height_), first_, height_, lines_.size());
  canvas.put(0, canvas.height() - 1,
             status_.empty() ? "arrows: move   /: find   n: next   ?: keys   Esc, q: back" : status_,
             status_.empty() ? Style::Dim : Style::Key);
}

Answer OutputView::key(const Key& key) {
  read();
  if (key.code == Key::Code::None) return {};
  status_.clear();
  ListCursor cursor{.at = first_, .first = first_};
  switch (key.code) {
    case Key::Code::Escape:
    case Key::Code::Backspace:
      return {.kind = Answer::Kind::Back};
    case Key::Code::Left:
      left_ -= std::min(left_, kStep);
      return {};
    case Key::Code::Right:
      left_ += kStep;
      return {};
    case Key::Code::End:
      first_ = lines_.size();
      return {};
    default:
      break;
  }
  if (key.is('q')) return {.kind = Answer::Kind::Back};
  if (key.is(3)) return {.kind = Answer::Kind::Quit};
  if (asks_for_keys(key)) return show_keys(kOutputHelp);
  if (key.is('/')) return search();
  if (key.is('n') && !wanted_.empty() && !search_from(first_ + 1)) status_ = "not found below";
  if (cursor.move(key, lines_.size(), 1)) {
    const bool page = key.code == Key::Code::PageDown || key.is(' '), back = key.code == Key::Code::PageUp;
    first_ = page ? first_ + height_ : back ? first_ - std::min(first_, height_) : cursor.at;
  }
  return {};
}

bool OutputView::search_from(std::size_t line) {
  for (; line < lines_.size(); ++line) {
    if (!contains_any_case(lines_[line], wanted_)) continue;
    first_ = line;
    return true;
  }
  return false;
}

Answer OutputView::search() {
  return {.kind = Answer::Kind::Open,
          .view = std::make_unique<PromptView>(
              "find:", "",
              [this](const std::string& text) {
                wanted_ = text;
                if (!text.empty()) search_from(first_);
              },
              [this](const std::string&, bool accepted) {
                if (!accepted) wanted_.clear();
                return Answer{.kind = Answer::Kind::Back};
              })};
}

}  // namespace peregrine::tui
