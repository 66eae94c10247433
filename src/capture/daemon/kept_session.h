// KeptSession: a session of the plan and its state: running, waiting to be restarted, or stopped. One thread.
#pragma once
#include <chrono>
#include <optional>
#include <string>
#include <utility>

#include "capture/daemon/backoff.h"
#include "capture/daemon/session.h"

namespace peregrine {

class KeptSession {
 public:
  using Clock = std::chrono::steady_clock;

  explicit KeptSession(SessionPlan plan) : plan_(std::move(plan)) {}

  const SessionPlan& plan() const { return plan_; }
  const std::string& name() const { return plan_.name; }
  DaemonSession* running() { return session_ ? &*session_ : nullptr; }
  const DaemonSession* running() const { return session_ ? &*session_ : nullptr; }
  bool is_due() const { return !session_ && start_at_ && *start_at_ <= Clock::now(); }
  // When it will start; nothing if it is running or stopped.
  std::optional<Clock::time_point> start_at() const { return session_ ? std::nullopt : start_at_; }

  // Returns a log line.
  std::string start(const DaemonPlace& place);
  // Its process ended. `is_wanted`: restart it if it failed. Returns a log line.
  std::string end(int wait_status, bool is_wanted);
  // The config file changed: a stopped session may start at once.
  void revive();

  unsigned restarts() const { return starts_ > 0 ? starts_ - 1 : 0; }
  // "running"; "killed (signal 9), restarts in 4 s"; "exited, status=129: see its output"; …
  std::string state() const;

 private:
  void fail_and_wait(std::string why, std::chrono::nanoseconds ran);

  SessionPlan plan_;
  std::optional<DaemonSession> session_;
  std::optional<Clock::time_point> start_at_ = Clock::now();
  Backoff backoff_;
  unsigned starts_ = 0;
  std::string last_end_;
};

}  // namespace peregrine
