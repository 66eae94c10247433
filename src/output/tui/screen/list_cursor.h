// ListCursor: the cursor in a list longer than its window, and the visible lines.
#pragma once
#include <cstddef>

#include "output/tui/screen/screen.h"

namespace peregrine::tui {

struct ListCursor {
  std::size_t at = 0;     // cursor line
  std::size_t first = 0;  // first visible line

  // Handles movement keys; `height` lines of `count` are visible. False for other keys.
  bool move(const Key& key, std::size_t count, std::size_t height);
  // Call after the list or the window has changed.
  void settle(std::size_t count, std::size_t height);
};

}  // namespace peregrine::tui
