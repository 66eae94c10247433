// Screen: a terminal as the views see it: it shows a Canvas and hands over keys. One thread.
//
// The one implementation, over ncurses, is a plug-in (output/ncurses) that is loaded when a screen is wanted, so that
// nothing else waits for it or needs it.
#pragma once
#include <memory>
#include <span>
#include <string>

#include "base/result.h"
#include "output/tui/screen/canvas.h"

namespace peregrine::tui {

struct Key {
  enum class Code : u8 {
    None,  // the time was up, or one of the descriptors has something
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
    Gone,  // nobody is there any more
  };
  Code code = Code::None;
  char32_t glyph = 0;     // of Char
  unsigned x = 0, y = 0;  // of the mouse
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
  virtual bool ascii() const = 0;  // the locale knows no more than that
  virtual void show(const Canvas& canvas) = 0;
  // Sleeps until there is a key, the window has another size, or one of these descriptors can be read; negative: as
  // long as that takes.
  virtual Key wait_key(int milliseconds, std::span<const int> also) = 0;
};

// Holds back, in the thread that makes it and in those that this one starts afterwards, the signal of a new size, so
// that it ends no system call but the waiting for keys, and always that.
class ResizeHold {
 public:
  ResizeHold();
  ~ResizeHold();
  ResizeHold(const ResizeHold&) = delete;
  ResizeHold& operator=(const ResizeHold&) = delete;

 private:
  bool was_held_ = false;
};

// `folder`: where plug-ins lie. Unsupported: this build has none, or its library is not there; or the terminal cannot.
Result<std::unique_ptr<Screen>> open_screen(const std::string& folder, const ScreenOptions& options);

// The one symbol of the plug-in. `number`: plug-in and program are of one build. Null: the terminal is not known.
inline constexpr u32 kScreenNumber = 2;
inline constexpr const char* kOpenScreen = "peregrine_open_screen";
using OpenScreen = Screen*(u32 number, const ScreenOptions& options);

}  // namespace peregrine::tui
