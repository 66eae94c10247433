#include "capture/daemon/kept_session.h"

#include <fmt/format.h>
#include <stdlib.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/types.h"

namespace peregrine {
namespace {

std::string end_text(int status) {
  if (WIFEXITED(status)) return fmt::format("exited, status={}", WEXITSTATUS(status));
  return fmt::format("killed (signal {})", WTERMSIG(status));
}

}  // namespace

std::string KeptSession::start(const DaemonPlace& place) {
  ++starts_;
  auto session = DaemonSession::start(plan_, place);
  if (!session) {
    fail_and_wait(session.error().message, {});
    return fmt::format("session '{}' failed to start: {}", name(), last_end_);
  }
  session_ = std::move(*session);
  start_at_.reset();
  const std::string again = restarts() > 0 ? fmt::format(" again ({})", restarts()) : std::string();
  return fmt::format("session '{}' started{} (pid {}): {}", name(), again, session_->pid(), plan_.run);
}

std::string KeptSession::end(int wait_status, bool is_wanted) {
  session_->drain();
  const auto ran = Clock::now() - session_->since();
  session_.reset();
  last_end_ = end_text(wait_status);
  std::string line = fmt::format("session '{}' {}", name(), last_end_);
  if (!is_wanted) return line;
  switch (end_of_session(wait_status)) {
    case SessionEnd::Failed:
      fail_and_wait(last_end_, ran);
      line +=
          fmt::format("; restarts in {} s", std::chrono::ceil<std::chrono::seconds>(*start_at_ - Clock::now()).count());
      break;
    case SessionEnd::Refused:
      last_end_ += ": see its output";
      line += "; not restarted until the config changes";
      break;
    case SessionEnd::Finished:
      break;
  }
  return line;
}

void KeptSession::fail_and_wait(std::string why, std::chrono::nanoseconds ran) {
  last_end_ = std::move(why);
  start_at_ = Clock::now() + backoff_.next(ran);
}

void KeptSession::revive() {
  if (session_) return;
  backoff_ = {};
  start_at_ = Clock::now();
}

std::string KeptSession::state() const {
  if (session_) return "running";
  if (!start_at_) return last_end_;
  const auto left = std::chrono::ceil<std::chrono::seconds>(*start_at_ - Clock::now()).count();
  return fmt::format("{}, restarts in {} s", last_end_, std::max<i64>(left, 0));
}

}  // namespace peregrine
