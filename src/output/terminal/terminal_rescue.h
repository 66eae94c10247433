// TerminalRescue: while it exists, a signal that ends the program first restores the terminal: its mode and, with
// `screen`, its main screen and cursor. Signals that have a handler or are ignored are left alone.
//
// Background processes, and children that inherit the handlers, do not touch the terminal. If several objects exist
// at once, only the first one takes effect.
#pragma once

namespace peregrine {

class TerminalRescue {
 public:
  enum class Kind { KeysOnly, Screen };
  // Call before changing the terminal's mode. Does nothing if `fd` is not a terminal.
  TerminalRescue(int fd, Kind kind);
  ~TerminalRescue();
  TerminalRescue(const TerminalRescue&) = delete;
  TerminalRescue& operator=(const TerminalRescue&) = delete;

  // Installs the handlers. Call after others, such as ncurses, have installed theirs.
  void arm();

 private:
  bool is_first_ = false;
};

}  // namespace peregrine
