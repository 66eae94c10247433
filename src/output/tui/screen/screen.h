// Screen: a terminal that shows a Canvas and delivers keys. One thread.
//
// The only implementation, over ncurses, is a plug-in (output/ncurses) loaded on demand, so that nothing else depends
// on it.
#pragma once
#include <memory>
#include <span>
#include <string>

#include "base/result.h"
#include "base/types.h"
#include "output/tui/screen/canvas.h"

namespace peregrine::tui {

struct Key {
  enum class Code : u8 {
    None,  // timeout, or a descriptor is readable
    Char,
    Up,
    Down,
    Left,
    Right,
    PageUp,
    PageDown,
    Home,
    End,
    Tab,
    BackTab,
    Enter,
    Escape,
    Backspace,
    Resize,
    Click,
    DoubleClick,
    WheelUp,
    WheelDown,
    Gone,  // the terminal is gone
  };
  Code code = Code::None;
  char32_t glyph = 0;     // for Char
  unsigned x = 0, y = 0;  // for the mouse
  bool is(char32_t c) const { return code == Code::Char && glyph == c; }
};

struct ScreenOptions {
  bool colors = true;
};

class Screen {
 public:
  virtual ~Screen() = default;
  virtual unsigned width() const = 0;
  virtual unsigned height() const = 0;
  virtual bool ascii() const = 0;  // the locale supports only ASCII
  virtual void show(const Canvas& canvas) = 0;
  // Waits for a key, a resize, or one of these descriptors to become readable; negative: no timeout.
  virtual Key wait_key(int milliseconds, std::span<const int> also) = 0;
};

// Blocks SIGWINCH in the creating thread and threads it starts later, so that it interrupts only the wait for keys, and
// always that.
class ResizeHold {
 public:
  ResizeHold();
  ~ResizeHold();
  ResizeHold(const ResizeHold&) = delete;
  ResizeHold& operator=(const ResizeHold&) = delete;

 private:
  bool was_held_ = false;
};

// `folder` contains the plug-ins. Unsupported: not in this build, no library, or the terminal is unsuitable.
Result<std::unique_ptr<Screen>> open_screen(const std::string& folder, const ScreenOptions& options);

// The plug-in's only symbol. `number`: plug-in and program are from the same build. Null: unknown terminal.
inline constexpr u32 kScreenNumber = 2;
inline constexpr const char* kOpenScreen = "peregrine_open_screen";
using OpenScreen = Screen*(u32 number, const ScreenOptions& options);

}  // namespace peregrine::tui
