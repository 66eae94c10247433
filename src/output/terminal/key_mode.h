// KeyMode: a terminal that hands over each key as it is struck, without showing it, for as long as the object lives.
#pragma once
#include <termios.h>

#include <optional>

namespace peregrine {

class KeyMode {
 public:
  // Nothing happens where `fd` is no terminal.
  explicit KeyMode(int fd);
  ~KeyMode() { pause(); }
  KeyMode(const KeyMode&) = delete;
  KeyMode& operator=(const KeyMode&) = delete;

  bool on() const { return before_.has_value(); }
  // Whole lines again, with echo; and back.
  void pause() const;
  void resume() const;

 private:
  int fd_;
  std::optional<termios> before_;
};

}  // namespace peregrine
