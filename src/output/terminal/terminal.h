// What is known of a terminal: whether a descriptor is one, and its size.
#pragma once

namespace peregrine {

bool is_terminal(int fd);

struct TerminalSize {
  unsigned columns = 80, rows = 24;
};
// The size of the terminal behind `fd`, or the default when it is none.
TerminalSize terminal_size(int fd);

}  // namespace peregrine
