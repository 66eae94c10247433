#include <dlfcn.h>
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <expected>
#include <memory>
#include <string>

#include "base/result.h"
#include "output/tui/screen/screen.h"

namespace peregrine::tui {

namespace {

sigset_t resizes() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGWINCH);
  return set;
}

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
  if (::access(file.c_str(), F_OK) != 0) {
    return std::unexpected(
        Error{ErrorKind::Unsupported, fmt::format("this build cannot show a screen: {} is not there", file)}.with_hint(
            "build with -DPEREGRINE_NCURSES=ON, or install the whole package; --stdio shows text"));
  }
  void* const handle = ::dlopen(file.c_str(), RTLD_NOW | RTLD_NODELETE);
  if (handle == nullptr) {
    const char* const reason = ::dlerror();
    return std::unexpected(
        Error{ErrorKind::Unsupported, fmt::format("cannot load {}", reason == nullptr ? file.c_str() : reason)}
            .with_hint("ncurses is needed for the screen (Debian: apt install libncursesw6); --stdio shows text"));
  }
  auto* const open = reinterpret_cast<OpenScreen*>(::dlsym(handle, kOpenScreen));
  if (open == nullptr) return fail(ErrorKind::Malformed, "{} is no screen", file);
  Screen* const made = open(kScreenNumber, options);
  if (made == nullptr) {
    return std::unexpected(
        Error{ErrorKind::Unsupported, "nothing is known of this kind of terminal, or it cannot move its cursor"}
            .with_hint("set TERM to its name (infocmp NAME says whether it is known), or use --stdio"));
  }
  return std::unique_ptr<Screen>(made);
}

}  // namespace peregrine::tui
