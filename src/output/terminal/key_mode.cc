#include "output/terminal/key_mode.h"

namespace peregrine {

KeyMode::KeyMode(int fd) : fd_(fd), rescue_(fd, TerminalRescue::Kind::KeysOnly) {
  termios now{};
  if (::tcgetattr(fd, &now) == 0) before_ = now;
  rescue_.arm();
  resume();
}

void KeyMode::pause() const {
  if (before_) ::tcsetattr(fd_, TCSADRAIN, &*before_);
}

void KeyMode::resume() const {
  if (!before_) return;
  termios keys = *before_;
  keys.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
  keys.c_cc[VMIN] = 0;
  keys.c_cc[VTIME] = 0;
  ::tcsetattr(fd_, TCSADRAIN, &keys);
}

}  // namespace peregrine
