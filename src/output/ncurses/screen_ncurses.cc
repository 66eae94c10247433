// The ncurses implementation of Screen. Only this file includes ncurses: it is loaded as a plug-in and exports one
// symbol.
#define NCURSES_WIDECHAR 1
#define NCURSES_NOMACROS 1
#include <curses.h>
#include <langinfo.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include <ctime>
#include <optional>
#include <span>
#include <vector>

#include "base/types.h"
#include "output/tui/screen/canvas.h"
#include "output/tui/screen/screen.h"

namespace peregrine::tui {

namespace {

struct Look {
  short foreground, background;
  attr_t plain;  // without colours
  attr_t extra;  // in addition to the colours
};

// Indexed by Style; -1 is the terminal's default colour.
constexpr Look kLooks[] = {
    {-1, -1, A_NORMAL, A_NORMAL},                     // Plain
    {-1, -1, A_BOLD, A_BOLD},                         // Title
    {COLOR_CYAN, -1, A_UNDERLINE, A_BOLD},            // Header
    {COLOR_BLACK, COLOR_CYAN, A_REVERSE, A_NORMAL},   // Selected
    {COLOR_RED, -1, A_BOLD, A_BOLD},                  // Hot
    {COLOR_GREEN, -1, A_NORMAL, A_NORMAL},            // Warm
    {-1, -1, A_NORMAL, A_DIM},                        // Dim
    {COLOR_YELLOW, -1, A_NORMAL, A_NORMAL},           // Kernel
    {COLOR_MAGENTA, -1, A_NORMAL, A_NORMAL},          // Added
    {COLOR_CYAN, -1, A_BOLD, A_NORMAL},               // Key
    {COLOR_WHITE, COLOR_BLUE, A_NORMAL, A_NORMAL},    // Box
    {COLOR_BLACK, COLOR_CYAN, A_REVERSE, A_NORMAL},   // BoxSelected
    {COLOR_BLACK, COLOR_YELLOW, A_STANDOUT, A_BOLD},  // Mark
    {COLOR_RED, -1, A_STANDOUT, A_BOLD},              // Error
};

constexpr int kEscapeWait = 25;  // ms to wait for the rest of an escape sequence

class NcursesScreen : public Screen {
 public:
  explicit NcursesScreen(SCREEN* screen, const ScreenOptions& options) : screen_(screen) {
    ::set_escdelay(kEscapeWait);
    ::raw();
    ::noecho();
    ::nonl();
    ::keypad(stdscr, TRUE);
    ::curs_set(0);
    colors_ = options.colors && ::has_colors() && ::start_color() == OK;
    if (colors_) {
      ::use_default_colors();
      short pair = 1;
      for (const Look& look : kLooks) ::init_pair(pair++, look.foreground, look.background);
    }
    ::mousemask(BUTTON1_CLICKED | BUTTON1_PRESSED | BUTTON1_DOUBLE_CLICKED | BUTTON4_PRESSED | BUTTON5_PRESSED,
                nullptr);
    ::mouseinterval(0);
    ascii_ = ::strcmp(::nl_langinfo(CODESET), "UTF-8") != 0;
  }
  ~NcursesScreen() override {
    ::endwin();
    ::delscreen(screen_);
  }

  unsigned width() const override { return static_cast<unsigned>(COLS); }
  unsigned height() const override { return static_cast<unsigned>(LINES); }
  bool ascii() const override { return ascii_; }

  void show(const Canvas& canvas) override {
    ::erase();
    for (unsigned y = 0; y < canvas.height(); ++y) {
      for (unsigned x = 0; x < canvas.width(); ++x) {
        const Cell& cell = canvas.at(x, y);
        if (cell == Cell{}) continue;
        const wchar_t text[] = {static_cast<wchar_t>(cell.glyph), 0};
        cchar_t wide;
        const auto style = static_cast<unsigned>(cell.style);
        const Look& look = kLooks[style];
        ::setcchar(&wide, text, colors_ ? look.extra : look.plain, static_cast<short>(colors_ ? style + 1 : 0),
                   nullptr);
        ::mvadd_wch(static_cast<int>(y), static_cast<int>(x), &wide);
      }
    }
    ::refresh();
  }

  Key wait_key(int milliseconds, std::span<const int> also) override {
    // ncurses may have buffered input, or a resize to report.
    if (const std::optional<Key> key = take_key(0)) return *key;
    const bool typed = sleep(milliseconds, also);
    if (const std::optional<Key> key = take_key(typed ? kEscapeWait : 0)) return *key;
    return {.code = ::isatty(STDIN_FILENO) && !hung_up() ? Key::Code::None : Key::Code::Gone};
  }

 private:
  static std::optional<Key> take_key(int milliseconds) {
    ::timeout(milliseconds);
    wint_t read = 0;
    const int kind = ::get_wch(&read);
    if (kind == ERR) return std::nullopt;
    return kind == KEY_CODE_YES ? named(read) : plain(read);
  }

  // Returns true if there is input. SIGWINCH stays blocked outside ppoll(), so a resize that arrives between two calls
  // is reported by the next one.
  static bool sleep(int milliseconds, std::span<const int> also) {
    std::vector<pollfd> waited{{STDIN_FILENO, POLLIN, 0}};
    for (const int fd : also) waited.push_back({fd, POLLIN, 0});
    const timespec time{milliseconds / 1000, (milliseconds % 1000) * 1'000'000L};
    sigset_t mask;
    ::pthread_sigmask(SIG_BLOCK, nullptr, &mask);
    sigdelset(&mask, SIGWINCH);
    const int ready = ::ppoll(waited.data(), waited.size(), milliseconds < 0 ? nullptr : &time, &mask);
    return ready > 0 && waited[0].revents != 0;
  }

  // poll(2) returns at once on a terminal that has hung up, so waiting for keys would spin.
  static bool hung_up() { return ::tcgetpgrp(STDIN_FILENO) < 0; }

  static Key plain(wint_t read) {
    switch (read) {
      case '\t':
        return {.code = Key::Code::Tab};
      case '\r':
      case '\n':
        return {.code = Key::Code::Enter};
      case 27:
        return {.code = Key::Code::Escape};
      case 8:
      case 127:
        return {.code = Key::Code::Backspace};
      case 12:  // ^L
        ::clearok(curscr, TRUE);
        return {.code = Key::Code::Resize};
      case 26:  // ^Z
        ::endwin();
        ::kill(0, SIGTSTP);
        ::refresh();
        return {.code = Key::Code::Resize};
      default:
        return {.code = Key::Code::Char, .glyph = static_cast<char32_t>(read)};
    }
  }

  static Key named(wint_t read) {
    switch (read) {
      case KEY_UP:
        return {.code = Key::Code::Up};
      case KEY_DOWN:
        return {.code = Key::Code::Down};
      case KEY_LEFT:
        return {.code = Key::Code::Left};
      case KEY_RIGHT:
        return {.code = Key::Code::Right};
      case KEY_PPAGE:
        return {.code = Key::Code::PageUp};
      case KEY_NPAGE:
        return {.code = Key::Code::PageDown};
      case KEY_HOME:
        return {.code = Key::Code::Home};
      case KEY_END:
        return {.code = Key::Code::End};
      case KEY_BTAB:
        return {.code = Key::Code::BackTab};
      case KEY_ENTER:
        return {.code = Key::Code::Enter};
      case KEY_BACKSPACE:
      case KEY_DC:
        return {.code = Key::Code::Backspace};
      case KEY_F(1):
        return {.code = Key::Code::Char, .glyph = U'h'};
      case KEY_RESIZE:
        return {.code = Key::Code::Resize};
      case KEY_MOUSE:
        return mouse();
      default:
        return {};
    }
  }

  static Key mouse() {
    MEVENT event;
    if (::getmouse(&event) != OK) return {};
    Key key{.x = static_cast<unsigned>(event.x), .y = static_cast<unsigned>(event.y)};
    if ((event.bstate & BUTTON4_PRESSED) != 0)
      key.code = Key::Code::WheelUp;
    else if ((event.bstate & BUTTON5_PRESSED) != 0)
      key.code = Key::Code::WheelDown;
    else if ((event.bstate & BUTTON1_DOUBLE_CLICKED) != 0)
      key.code = Key::Code::DoubleClick;
    else if ((event.bstate & (BUTTON1_CLICKED | BUTTON1_PRESSED)) != 0)
      key.code = Key::Code::Click;
    return key;
  }

  SCREEN* screen_;
  bool colors_ = false, ascii_ = false;
};

}  // namespace

}  // namespace peregrine::tui

extern "C" __attribute__((visibility("default"))) peregrine::tui::Screen* peregrine_open_screen(
    peregrine::u32 number, const peregrine::tui::ScreenOptions& options) {
  if (number != peregrine::tui::kScreenNumber) return nullptr;
  ::setlocale(LC_CTYPE, "");
  SCREEN* const screen = ::newterm(nullptr, stdout, stdin);
  if (screen == nullptr) return nullptr;
  if (::tigetstr(const_cast<char*>("cup")) == nullptr) {
    ::endwin();
    return nullptr;
  }
  return new peregrine::tui::NcursesScreen(screen, options);
}
