// Backoff: decides whether and when a session that ended is restarted.
//
//   failed, or killed by a signal        after 1 s, then 2, 4, … up to 5 minutes; back to 1 s after a run of a minute
//   exited with success, or was asked    not before the config file changes
//   to end (INT, TERM, HUP)
//   invalid options (status 129)         not before the config file changes
#pragma once
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>

#include <algorithm>
#include <chrono>

namespace peregrine {

enum class SessionEnd { Finished, Refused, Failed };

inline SessionEnd end_of_session(int wait_status) {
  constexpr int kUsage = 129;  // exit status for invalid options
  if (WIFEXITED(wait_status) && WEXITSTATUS(wait_status) == 0) return SessionEnd::Finished;
  if (WIFEXITED(wait_status) && WEXITSTATUS(wait_status) == kUsage) return SessionEnd::Refused;
  const int number = WIFSIGNALED(wait_status) ? WTERMSIG(wait_status) : 0;
  return number == SIGINT || number == SIGTERM || number == SIGHUP ? SessionEnd::Finished : SessionEnd::Failed;
}

class Backoff {
 public:
  // The delay after a failed run of this length.
  std::chrono::seconds next(std::chrono::nanoseconds ran) {
    constexpr std::chrono::seconds kFirst(1), kLongest(300), kSteady(60);
    delay_ = ran >= kSteady || delay_.count() == 0 ? kFirst : std::min(delay_ * 2, kLongest);
    return delay_;
  }

 private:
  std::chrono::seconds delay_{0};
};

}  // namespace peregrine
