// ListCursor: where the cursor stands in a list that is longer than its window, and which lines the window shows.
#pragma once
#include "output/tui/screen/screen.h"

namespace peregrine::tui {

struct ListCursor {
  std::size_t at = 0;     // the line of the cursor
  std::size_t first = 0;  // the first line shown

  // Follows the keys that move; `height` lines of `count` are shown. False: the key is another one's.
  bool move(const Key& key, std::size_t count, std::size_t height);
  // After the list or the window has changed.
  void settle(std::size_t count, std::size_t height);
};

}  // namespace peregrine::tui
