#include "capture/target/watch.h"

#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <limits>
#include <utility>

namespace peregrine {
namespace {
constexpr std::size_t kSignals = 0, kWorkload = 1, kControl = 2, kNotice = 3, kFirstRing = 4;
}

Result<Watch> Watch::open(const std::vector<int>& signals) {
  sigset_t wanted, blocked, previous;
  sigemptyset(&wanted);
  for (const int number : signals) sigaddset(&wanted, number);
  blocked = wanted;
  sigaddset(&blocked, SIGPIPE);
  const int fd = ::signalfd(-1, &wanted, SFD_CLOEXEC | SFD_NONBLOCK);
  if (fd < 0) return fail_errno("signalfd");
  ::pthread_sigmask(SIG_BLOCK, &blocked, &previous);
  Watch watch(Fd(fd), previous);
  watch.poll_ = {{fd, POLLIN, 0}, {-1, POLLIN, 0}, {-1, POLLIN, 0}, {-1, POLLIN, 0}};
  return watch;
}

Watch::~Watch() {
  if (!signal_fd_) return;
  signalfd_siginfo dropped;
  while (::read(signal_fd_.get(), &dropped, sizeof dropped) == sizeof dropped) {
  }
  ::pthread_sigmask(SIG_SETMASK, &previous_, nullptr);
}

void Watch::add_ring(std::vector<int> fds, bool readable) {
  poll_.push_back({fds.empty() ? -1 : fds.front(), static_cast<short>(readable ? POLLIN : 0), 0});
  rings_.push_back({std::move(fds), 0});
}

void Watch::set_workload(int pid_fd) { poll_[kWorkload].fd = pid_fd; }
void Watch::set_control(int fd) { poll_[kControl].fd = fd; }
void Watch::set_notice(int fd) { poll_[kNotice].fd = fd; }

void Watch::next_writer(std::size_t ring) {
  auto& [writers, current] = rings_[ring];
  ++current;
  if (current >= writers.size()) ++rings_gone_;
  poll_[kFirstRing + ring].fd = current < writers.size() ? writers[current] : -1;
}

void Watch::read_signals(WatchResult& result) {
  signalfd_siginfo got;
  while (::read(signal_fd_.get(), &got, sizeof got) == sizeof got)
    result.signals.push_back(static_cast<int>(got.ssi_signo));
}

void Watch::end_after(std::chrono::milliseconds limit) {
  if (limit.count() > 0) end_ = std::chrono::steady_clock::now() + limit;
}

Result<WatchResult> Watch::wait(std::chrono::milliseconds timeout) {
  using std::chrono::milliseconds;
  WatchResult result;
  if (end_) {
    // Rounded up, so that the end is reached when the time is over.
    const auto left = std::chrono::ceil<milliseconds>(*end_ - std::chrono::steady_clock::now());
    const milliseconds rest = std::clamp(left, milliseconds(0), milliseconds(std::numeric_limits<int>::max()));
    if (timeout.count() < 0 || rest < timeout) timeout = rest;
  }
  const int count = ::poll(poll_.data(), poll_.size(), timeout.count() < 0 ? -1 : static_cast<int>(timeout.count()));
  if (count < 0 && errno != EINTR) return fail_errno("poll");
  if (count > 0) {
    if (poll_[kSignals].revents != 0) read_signals(result);
    result.workload = poll_[kWorkload].revents != 0;
    result.steered = poll_[kControl].revents != 0;
    result.noticed = poll_[kNotice].revents != 0;
    for (std::size_t ring = 0; ring < rings_.size(); ++ring) {
      const short events = poll_[kFirstRing + ring].revents;
      if ((events & POLLIN) != 0) result.ring = true;
      if ((events & (POLLHUP | POLLERR)) != 0) next_writer(ring);
    }
  }
  if (end_ && std::chrono::steady_clock::now() >= *end_) {
    end_.reset();
    result.signals.push_back(SIGTERM);
  }
  result.targets_gone = !rings_.empty() && rings_gone_ == rings_.size();
  return result;
}

}  // namespace peregrine
