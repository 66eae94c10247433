// Backoff: whether and when a session that ended starts again.
//
//   it failed, or a signal killed it     after 1 s, then 2, 4, … up to 5 minutes; a run of a minute begins anew at 1 s
//   it ended with success, or somebody   not before the config file changes
//   asked it to end (INT, TERM, HUP)
//   its options are wrong (status 129)   not before the config file changes
#pragma once
#include <signal.h>
#include <sys/wait.h>

#include <algorithm>
#include <chrono>

namespace peregrine {

enum class SessionEnd { Finished, Refused, Failed };

inline SessionEnd end_of_session(int wait_status) {
  constexpr int kUsage = 129;  // exit status of a command whose options are wrong
  if (WIFEXITED(wait_status) && WEXITSTATUS(wait_status) == 0) return SessionEnd::Finished;
  if (WIFEXITED(wait_status) && WEXITSTATUS(wait_status) == kUsage) return SessionEnd::Refused;
  const int number = WIFSIGNALED(wait_status) ? WTERMSIG(wait_status) : 0;
  return number == SIGINT || number == SIGTERM || number == SIGHUP ? SessionEnd::Finished : SessionEnd::Failed;
}

class Backoff {
 public:
  // How long to wait after a run of this length failed.
  std::chrono::seconds next(std::chrono::nanoseconds ran) {
    constexpr std::chrono::seconds kFirst(1), kLongest(300), kSteady(60);
    delay_ = ran >= kSteady || delay_.count() == 0 ? kFirst : std::min(delay_ * 2, kLongest);
    return delay_;
  }

 private:
  std::chrono::seconds delay_{0};
};

}  // namespace peregrine
