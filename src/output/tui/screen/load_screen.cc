#include <dlfcn.h>
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <expected>
#include <memory>
#include <span>
#include <string>

#include "base/result.h"
#include "output/terminal/terminal_rescue.h"
#include "output/tui/screen/canvas.h"
#include "output/tui/screen/screen.h"

namespace peregrine::tui {

namespace {

sigset_t resizes() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGWINCH);
  return set;
}

// A screen that is closed if a signal ends the program.
class RescuedScreen : public Screen {
 public:
  // False: the screen was not opened.
  bool open(OpenScreen* opener, const ScreenOptions& options) {
    inner_.reset(opener(kScreenNumber, options));
    if (inner_ != nullptr) rescue_.arm();
    return inner_ != nullptr;
  }

  unsigned width() const override { return inner_->width(); }
  unsigned height() const override { return inner_->height(); }
  bool ascii() const override { return inner_->ascii(); }
  void show(const Canvas& canvas) override { inner_->show(canvas); }
  Key wait_key(int milliseconds, std::span<const int> also) override { return inner_->wait_key(milliseconds, also); }

 private:
  TerminalRescue rescue_{STDOUT_FILENO, TerminalRescue::Kind::Screen};
  std::unique_ptr<Screen> inner_;
};

}  // namespace

ResizeHold::ResizeHold() {
  const sigset_t held = resizes();
  sigset_t before;
  ::pthread_sigmask(SIG_BLOCK, &held, &before);
  was_held_ = sigismember(&before, SIGWINCH) == 1;
}

// Unblocks only this signal: others that were blocked in the meantime stay blocked.
ResizeHold::~ResizeHold() {
  const sigset_t held = resizes();
  if (!was_held_) ::pthread_sigmask(SIG_UNBLOCK, &held, nullptr);
}

Result<std::unique_ptr<Screen>> open_screen(const std::string& folder, const ScreenOptions& options) {
  const std::string file = folder + "/screen_ncurses.so";
  void* const handle = ::dlopen(file.c_str(), RTLD_NOW | RTLD_NODELETE);
  if (handle == nullptr) {
    const char* const reason = ::dlerror();
    if (::access(file.c_str(), F_OK) != 0) {
      return std::unexpected(
          Error{ErrorKind::Unsupported, fmt::format("this build has no interactive screens: {} not found", file)}
              .with_hint("build with -DPEREGRINE_NCURSES=ON, or install the complete package; --stdio shows text"));
    }
    return std::unexpected(
        Error{ErrorKind::Unsupported, fmt::format("cannot load {}", reason == nullptr ? file.c_str() : reason)}
            .with_hint("screens need ncurses (Debian: apt install libncursesw6); --stdio shows text"));
  }
  auto* const open = reinterpret_cast<OpenScreen*>(::dlsym(handle, kOpenScreen));
  if (open == nullptr) return fail(ErrorKind::Malformed, "'{}' is not a screen plug-in", file);
  auto screen = std::make_unique<RescuedScreen>();
  if (!screen->open(open, options)) {
    return std::unexpected(
        Error{ErrorKind::Unsupported, "unknown terminal type, or the terminal cannot move its cursor"}.with_hint(
            "set TERM to a type that infocmp knows, or use --stdio"));
  }
  return screen;
}

}  // namespace peregrine::tui
