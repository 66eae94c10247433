// Scheduler and system call benchmarks: messages among many tasks, two tasks that wake each other, and cheap system
// calls. The texts are linux-perf's.
#pragma once
#include <string>
#include <vector>

#include "base/result.h"
#include "base/types.h"
#include "output/sink.h"
#include "sys/root.h"
#include "trial/messaging.h"
#include "trial/ping_pong.h"

namespace peregrine {

struct MessagingTrialRequest {
  bool simple = false;
  MessagingPlan plan;
};
// Errors: as run_messaging().
Result<> run_messaging_trial(const MessagingTrialRequest& request, Sink& out);

struct PipeTrialRequest {
  bool simple = false, threads = false;
  std::vector<std::string> groups;  // cgroups of the sender and the receiver, or one cgroup for both
  u64 loops = 0;                    // 0: 1,000,000
};
// Errors: Usage, more than two groups, or groups for threads; NotFound, no such group; as run_ping_pong().
Result<> run_pipe_trial(const PipeTrialRequest& request, const Root& root, Sink& out);

struct CallTrialRequest {
  bool simple = false;
  u64 loops = 0;  // 0: 10,000,000
};
void run_call_trial(CheapCall which, const CallTrialRequest& request, Sink& out);

}  // namespace peregrine
