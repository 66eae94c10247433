#include "output/tui/screen/list_cursor.h"

#include <algorithm>
#include <cstddef>

namespace peregrine::tui {

void ListCursor::settle(std::size_t count, std::size_t height) {
  at = count == 0 ? 0 : std::min(at, count - 1);
  height = std::max<std::size_t>(height, 1);
  if (at < first) first = at;
  if (at >= first + height) first = at - height + 1;
  first = std::min(first, count > height ? count - height : 0);
}

bool ListCursor::move(const Key& key, std::size_t count, std::size_t height) {
  const std::size_t last = count == 0 ? 0 : count - 1, page = std::max<std::size_t>(height, 2) - 1;
  switch (key.code) {
    case Key::Code::Up:
      at -= at > 0 ? 1 : 0;
      break;
    case Key::Code::Down:
      ++at;
      break;
    case Key::Code::PageUp:
      at -= std::min(at, page);
      first -= std::min(first, page);
      break;
    case Key::Code::PageDown:
      at = std::min(at + page, last);
      first += page;
      break;
    case Key::Code::Home:
      at = 0;
      break;
    case Key::Code::End:
      at = last;
      break;
    case Key::Code::WheelUp:
      at -= std::min<std::size_t>(at, 3);
      break;
    case Key::Code::WheelDown:
      at = std::min(at + 3, last);
      break;
    default:
      if (!key.is(' ')) return false;
      return move({.code = Key::Code::PageDown}, count, height);
  }
  settle(count, height);
  return true;
}

}  // namespace peregrine::tui
