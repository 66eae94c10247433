#include "output/terminal/terminal_rescue.h"

#include <signal.h>
#include <sys/types.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <string_view>

namespace peregrine {
namespace {

constexpr std::array kEndingSignals = {SIGHUP,  SIGINT,  SIGQUIT, SIGILL,  SIGTRAP,   SIGABRT, SIGBUS,  SIGFPE, SIGUSR1,
                                       SIGSEGV, SIGUSR2, SIGPIPE, SIGALRM, SIGVTALRM, SIGPROF, SIGXCPU, SIGTERM};

// Raised by the program's own instructions: blocked, they would end it without a handler.
constexpr bool is_fault(int number) {
  return number == SIGILL || number == SIGTRAP || number == SIGABRT || number == SIGBUS || number == SIGFPE ||
         number == SIGSEGV;
}

// Colors off, mouse off, normal cursor keys, main screen, cursor on. Terminals ignore what they do not know.
constexpr std::string_view kMainScreen = "\x1b[0m\x1b[?1000l\x1b[?1006l\x1b[?1l\x1b>\x1b[?1049l\x1b[?25h";

// After a stack overflow, the handler needs a different stack.
constexpr std::size_t kHandlerStack = std::size_t{64} << 10;

// The data for the handler. Written before a handler is installed.
struct RescuedTerminal {
  std::atomic_flag taken = ATOMIC_FLAG_INIT;
  int fd = 0;
  pid_t owner = 0;
  bool screen = false;
  termios mode{};
  std::array<char, kHandlerStack> stack{};
};
RescuedTerminal rescued;

// Async-signal-safe. The signal is blocked until the handler returns, and then has its default effect (SA_RESETHAND).
void restore_and_end(int number) {
  const int error = errno;
  if (::getpid() == rescued.owner && ::tcgetpgrp(rescued.fd) == ::getpgrp()) {
    if (rescued.screen) static_cast<void>(!::write(rescued.fd, kMainScreen.data(), kMainScreen.size()));
    ::tcsetattr(rescued.fd, TCSANOW, &rescued.mode);
  }
  ::raise(number);
  errno = error;
}

}  // namespace

TerminalRescue::TerminalRescue(int fd, Kind kind) {
  termios mode{};
  if (::tcgetattr(fd, &mode) != 0 || rescued.taken.test_and_set()) return;
  rescued.fd = fd;
  rescued.owner = ::getpid();
  rescued.screen = kind == Kind::Screen;
  rescued.mode = mode;
  is_first_ = true;
  sigset_t held;
  sigemptyset(&held);
  for (const int number : kEndingSignals)
    if (!is_fault(number)) sigaddset(&held, number);
  holds_ = ::pthread_sigmask(SIG_BLOCK, &held, &before_) == 0;
}

void TerminalRescue::release() {
  if (holds_) ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  holds_ = false;
}

void TerminalRescue::arm() {
  if (!is_first_) return;
  stack_t before{};
  if (::sigaltstack(nullptr, &before) == 0 && (before.ss_flags & SS_DISABLE) != 0) {
    const stack_t own{.ss_sp = rescued.stack.data(), .ss_flags = 0, .ss_size = rescued.stack.size()};
    ::sigaltstack(&own, nullptr);
  }
  struct sigaction restore{};
  restore.sa_handler = restore_and_end;
  restore.sa_flags = SA_RESETHAND | SA_ONSTACK | SA_RESTART;
  sigfillset(&restore.sa_mask);
  for (const int number : kEndingSignals) {
    struct sigaction now{};
    if (::sigaction(number, nullptr, &now) == 0 && (now.sa_flags & SA_SIGINFO) == 0 && now.sa_handler == SIG_DFL)
      ::sigaction(number, &restore, nullptr);
  }
  release();
}

TerminalRescue::~TerminalRescue() {
  if (!is_first_) return;
  for (const int number : kEndingSignals) {
    struct sigaction now{};
    if (::sigaction(number, nullptr, &now) == 0 && (now.sa_flags & SA_SIGINFO) == 0 &&
        now.sa_handler == restore_and_end)
      ::signal(number, SIG_DFL);
  }
  release();
  rescued.taken.clear();
}

}  // namespace peregrine
