// Terminal queries: whether a descriptor is one, and its size.
#pragma once

namespace peregrine {

bool is_terminal(int fd);

struct TerminalSize {
  unsigned columns = 80, rows = 24;
};
// The size of the terminal at `fd`; the default if it is not one.
TerminalSize terminal_size(int fd);

}  // namespace peregrine
