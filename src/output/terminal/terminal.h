// Terminal queries: whether a descriptor is one, and its size; and the bytes that clear it.
#pragma once
#include <optional>
#include <string_view>

namespace peregrine {

// Clears the screen and its history; the cursor moves to the top.
inline constexpr std::string_view kClearScreen = "\x1b[H\x1b[2J\x1b[3J";

bool is_terminal(int fd);
// Whether a terminal with this TERM cannot move its cursor: unset, empty or "dumb".
constexpr bool is_dumb_terminal(std::optional<std::string_view> term) {
  return !term || term->empty() || *term == "dumb";
}

struct TerminalSize {
  unsigned columns = 80, rows = 24;
};
// The size of the terminal at `fd`; the default if it is not one.
TerminalSize terminal_size(int fd);

}  // namespace peregrine
