// TerminalRescue: while it exists, a signal that ends the program first restores the terminal: its mode, and with
// `screen` its main screen and cursor. Signals that have a handler or are ignored are left alone.
//
// Processes in the background and children that inherit the handlers do not touch the terminal. Of several that exist
// at once, the first one counts.
#pragma once
#include <signal.h>

namespace peregrine {

class TerminalRescue {
 public:
  enum class Kind { KeysOnly, Screen };
  // Before the terminal's mode is changed. Does nothing if `fd` is not a terminal. Signals wait until arm(): one that
  // arrived earlier would end the program before there is a handler, on a screen that has changed already.
  TerminalRescue(int fd, Kind kind);
  ~TerminalRescue();
  TerminalRescue(const TerminalRescue&) = delete;
  TerminalRescue& operator=(const TerminalRescue&) = delete;

  // Catches signals. After others, such as ncurses, have installed their handlers.
  void arm();

 private:
  void release();  // the waiting signals

  bool is_first_ = false, holds_ = false;
  sigset_t before_{};  // the mask, while signals wait
};

}  // namespace peregrine
