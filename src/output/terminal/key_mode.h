// KeyMode: while the object exists, the terminal does not echo and delivers single keys. A signal that ends the program
// also restores the terminal.
#pragma once
#include <termios.h>

#include <optional>

#include "output/terminal/terminal_rescue.h"

namespace peregrine {

class KeyMode {
 public:
  // Does nothing if `fd` is not a terminal.
  explicit KeyMode(int fd);
  ~KeyMode() { pause(); }
  KeyMode(const KeyMode&) = delete;
  KeyMode& operator=(const KeyMode&) = delete;

  bool on() const { return before_.has_value(); }
  // Switches back to line mode with echo, and to key mode again.
  void pause() const;
  void resume() const;

 private:
  int fd_;
  TerminalRescue rescue_;
  std::optional<termios> before_;
};

}  // namespace peregrine
