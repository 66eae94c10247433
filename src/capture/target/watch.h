// Watch: sleeps until a ring needs draining, a signal arrives, the workload ends, or a timeout expires.
//
// Blocks the signals that end or control a command from open() on and reads them from a signalfd, so no handler runs.
// Threads started later inherit the mask; a workload gets previous_mask(). One thread.
#pragma once
#include <poll.h>
#include <signal.h>

#include <chrono>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "base/fd.h"
#include "base/result.h"

namespace peregrine {

struct WatchResult {
  bool ring = false;          // a ring reached its watermark
  bool workload = false;      // the workload has ended
  bool steered = false;       // the control descriptor is readable
  bool noticed = false;       // the notice descriptor is readable
  bool targets_gone = false;  // no ring can be written any more: all observed threads have ended
  std::vector<int> signals;   // received, in order
};

class Watch {
 public:
  // Blocks `signals` (SIGPIPE too, so that writes fail with EPIPE) and opens a descriptor for them.
  static Result<Watch> open(const std::vector<int>& signals);
  Watch(Watch&&) noexcept = default;
  Watch& operator=(Watch&&) = delete;
  // Restores the mask.
  ~Watch();

  const sigset_t& previous_mask() const { return previous_; }
  // Readable while a signal waits to be read.
  int signals() const { return signal_fd_.get(); }

  // `fds`: the events that write to one ring. One of them is polled; when it hangs up (its thread ended), the next one
  // takes over, since an event in that state would wake us constantly. Without `readable`, only waits for its end.
  void add_ring(std::vector<int> fds, bool readable = true);
  void set_workload(int pid_fd);
  void set_control(int fd);  // -1: none
  void set_notice(int fd);   // any other descriptor the owner waits for

  // From then on, wait() reports SIGTERM, once. Zero: never.
  void end_after(std::chrono::milliseconds limit);
  // Waits at most `timeout` (forever if negative).
  Result<WatchResult> wait(std::chrono::milliseconds timeout);

 private:
  explicit Watch(Fd signal_fd, const sigset_t& previous) : signal_fd_(std::move(signal_fd)), previous_(previous) {}
  void next_writer(std::size_t ring);
  void read_signals(WatchResult& result);

  struct Ring {
    std::vector<int> writers;
    std::size_t current = 0;
  };
  Fd signal_fd_;
  sigset_t previous_;
  std::vector<Ring> rings_;
  std::size_t rings_gone_ = 0;
  std::optional<std::chrono::steady_clock::time_point> end_;
  std::vector<pollfd> poll_;  // signals, workload, control, notice, then one per ring
};

}  // namespace peregrine
