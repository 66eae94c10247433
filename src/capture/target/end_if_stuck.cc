#include "capture/target/end_if_stuck.h"

#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/types.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <system_error>

#include "base/types.h"

namespace peregrine {
namespace {

// Ends the process with one of the pending signals.
void end_by_waiting_signal() {
  sigset_t waiting, one;
  sigemptyset(&waiting);
  ::sigpending(&waiting);
  for (const int number : {SIGTERM, SIGINT, SIGHUP}) {
    if (sigismember(&waiting, number) != 1) continue;
    ::signal(number, SIG_DFL);
    sigemptyset(&one);
    sigaddset(&one, number);
    ::pthread_sigmask(SIG_UNBLOCK, &one, nullptr);
  }
}

}  // namespace

EndIfStuck::EndIfStuck(const Watch& watch, std::chrono::milliseconds patience) : stop_(::eventfd(0, EFD_CLOEXEC)) {
  if (!stop_) return;
  try {
    thread_ = std::thread([this, signals = watch.signals(), patience] { look(signals, patience); });
  } catch (const std::system_error&) {  // threads are unavailable: signals are read between two waits, as usual
  }
}

EndIfStuck::~EndIfStuck() {
  if (!thread_.joinable()) return;
  const u64 one = 1;
  [[maybe_unused]] const ssize_t written = ::write(stop_.get(), &one, sizeof one);
  thread_.join();
}

// Only polls, because the owner reads the signals.
void EndIfStuck::look(int signals, std::chrono::milliseconds patience) const {
  constexpr std::size_t kSignals = 0, kStop = 1;
  std::array<pollfd, 2> both{{{signals, POLLIN, 0}, {stop_.get(), POLLIN, 0}}};
  for (;;) {
    if (::poll(both.data(), both.size(), -1) < 0) continue;
    if (both[kStop].revents != 0) return;
    pollfd stop{stop_.get(), POLLIN, 0};
    if (::poll(&stop, 1, static_cast<int>(patience.count())) > 0) return;
    both[kSignals].revents = 0;
    if (::poll(&both[kSignals], 1, 0) > 0) end_by_waiting_signal();
  }
}

}  // namespace peregrine
