// TerminalRescue: while it exists, a signal that ends the program first restores the terminal: its mode, and with
// `screen` its main screen and cursor. Signals that have a handler or are ignored are left alone.
//
// Processes in the background and children that inherit the handlers do not touch the terminal. Of several that exist
// at once, the first one counts.
#pragma once

namespace peregrine {

class TerminalRescue {
 public:
  enum class Kind { KeysOnly, Screen };
  // Before the terminal's mode is changed. Does nothing if `fd` is not a terminal.
  TerminalRescue(int fd, Kind kind);
  ~TerminalRescue();
  TerminalRescue(const TerminalRescue&) = delete;
  TerminalRescue& operator=(const TerminalRescue&) = delete;

  // Catches signals. After others, such as ncurses, have installed their handlers.
  void arm();

 private:
  bool is_first_ = false;
};

}  // namespace peregrine
