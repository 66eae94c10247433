#include "session/bench/sched_trials.h"

#include <cstddef>
#include <expected>
#include <string_view>
#include <utility>

#include "session/bench/trial_text.h"
#include "sys/process/cgroup.h"

namespace peregrine {
namespace {

Result<> choose_groups(const PipeTrialRequest& request, const Root& root, PingPong& game) {
  const std::vector<std::string>& names = request.groups;
  if (names.empty()) return {};
  if (names.size() > 2) return fail(ErrorKind::Usage, "-G takes at most two control groups");
  if (request.threads) return fail(ErrorKind::Usage, "-G cannot be combined with --threaded");
  for (std::size_t i = 0; i < names.size(); ++i) {
    auto folder = unified_cgroup_folder(root, names[i]);
    if (!folder) return std::unexpected(std::move(folder.error()));
    (i == 0 ? game.sender_group : game.receiver_group) = std::move(*folder);
  }
  if (names.size() == 1) game.receiver_group = game.sender_group;
  return {};
}

}  // namespace

Result<> run_messaging_trial(const MessagingTrialRequest& request, Sink& out) {
  const MessagingPlan& plan = request.plan;
  const auto seconds = run_messaging(plan);
  if (!seconds) return std::unexpected(seconds.error());
  if (request.simple) {
    out.format("{:.3f}\n", *seconds);
    return {};
  }
  const std::string_view workers = plan.threads ? "threads" : "processes";
  out.format("# {} sender and receiver {} per group\n# {} groups == {} {} run\n\n", MessagingPlan::kSide, workers,
             plan.groups, plan.groups * 2 * MessagingPlan::kSide, workers);
  write_total_time(out, *seconds);
  return {};
}

Result<> run_pipe_trial(const PipeTrialRequest& request, const Root& root, Sink& out) {
  const u64 loops = request.loops != 0 ? request.loops : 1'000'000;
  PingPong game{.loops = loops, .threads = request.threads};
  PEREGRINE_TRY(choose_groups(request, root, game));
  const auto seconds = run_ping_pong(game);
  if (!seconds) return std::unexpected(seconds.error());
  if (request.simple) {
    out.format("{:.3f}\n", *seconds);
    return {};
  }
  out.format("# Executed {} pipe operations between two {}\n\n", loops, request.threads ? "threads" : "processes");
  write_total_time(out, *seconds);
  write_operation_rate(out, *seconds, loops);
  return {};
}

void run_call_trial(CheapCall which, const CallTrialRequest& request, Sink& out) {
  const u64 loops = request.loops != 0 ? request.loops : 10'000'000;
  const double seconds = run_system_calls(which, loops);
  if (request.simple) {
    out.format("{:.3f}\n", seconds);
    return;
  }
  out.format("# Executed {} {}() calls\n", loops, which == CheapCall::GetPpid ? "getppid" : "getpgid");
  write_total_time(out, seconds);
  write_operation_rate(out, seconds, loops);
}

}  // namespace peregrine
