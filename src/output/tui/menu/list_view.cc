#include "output/tui/menu/list_view.h"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>

#include "analysis/browse/queries.h"
#include "output/tui/menu/popup.h"
#include "output/tui/screen/canvas.h"
#include "output/tui/screen/screen.h"

namespace peregrine::tui {

namespace {

constexpr std::size_t kScroll = 10;

std::string_view from_column(std::string_view line, std::size_t column) {
  return line.substr(std::min(column, line.size()));
}

}  // namespace

ListView::ListView(Text text, Other other) : ask_(std::move(text)), other_(std::move(other)), text_(ask_()) {}

void ListView::draw(Canvas& canvas) {
  const std::size_t above = 1 + text_.head.size();
  height_ = canvas.height() > above + 1 ? canvas.height() - above - 1 : 1;
  cursor_.settle(text_.lines.size(), height_);
  canvas.put(0, 0, text_.title, Style::Title);
  for (std::size_t i = 0; i < text_.head.size(); ++i)
    canvas.put(0, static_cast<unsigned>(1 + i), from_column(text_.head[i], left_), Style::Header);
  for (std::size_t at = 0; at < height_ && cursor_.first + at < text_.lines.size(); ++at) {
    const auto y = static_cast<unsigned>(above + at);
    canvas.put(0, y, from_column(text_.lines[cursor_.first + at], left_));
    if (cursor_.first + at == cursor_.at) canvas.paint(0, y, canvas.width(), Style::Selected);
  }
  canvas.put(0, canvas.height() - 1, status_.empty() ? text_.hint : status_, status_.empty() ? Style::Dim : Style::Key);
}

bool ListView::search_from(std::size_t line) {
  for (std::size_t step = 0; step < text_.lines.size(); ++step) {
    const std::size_t at = (line + step) % text_.lines.size();
    if (!contains_any_case(text_.lines[at], wanted_)) continue;
    cursor_.at = at;
    return true;
  }
  return false;
}

Answer ListView::search() {
  return ask_what_to_find(wanted_, status_, [this] { return search_from(cursor_.at); });
}

// Tables can be wider than the terminal.
void ListView::scroll(const Key& key) {
  std::size_t widest = 0;
  for (const std::vector<std::string>* lines : {&text_.head, &text_.lines})
    for (const std::string& line : *lines) widest = std::max(widest, line.size());
  if (key.code == Key::Code::Right && left_ + kScroll < widest) left_ += kScroll;
  if (key.code == Key::Code::Left) left_ -= std::min(left_, kScroll);
}

Answer ListView::key(const Key& key) {
  status_.clear();
  if (auto answer = other_(key, cursor_.at)) {
    text_ = ask_();
    return std::move(*answer);
  }
  if (ends(key)) return leave(key);
  if (key.code == Key::Code::Escape || key.code == Key::Code::Backspace) return {.kind = Answer::Kind::Back};
  if (key.is('/')) return search();
  if ((key.is('n') || key.is('N')) && !wanted_.empty() && !search_from(cursor_.at + 1))
    status_ = "not found: " + wanted_;
  scroll(key);
  cursor_.move(key, text_.lines.size(), height_);
  return {};
}

}  // namespace peregrine::tui
