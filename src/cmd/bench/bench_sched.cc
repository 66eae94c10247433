// bench sched and bench syscall: the options of their benchmarks.
#include <span>

#include "base/result.h"
#include "base/text/words.h"
#include "cli/frame/command.h"
#include "cli/option/option.h"
#include "cli/option/store.h"
#include "cmd/bench/bench_trials.h"
#include "session/bench/sched_trials.h"
#include "sys/root.h"
#include "trial/messaging.h"
#include "trial/ping_pong.h"
#include "trial/timed_run.h"

namespace peregrine::cmd {
namespace {

constexpr unsigned kMostGroups = kMostThreads / (2 * MessagingPlan::kSide);

constexpr Option kMessagingOptions[] = {
    trial_flag<&MessagingTrialRequest::plan, &MessagingPlan::pipes>("pipe", 'p', "use pipes instead of sockets"),
    trial_flag<&MessagingTrialRequest::plan, &MessagingPlan::threads>("thread", 't',
                                                                      "use threads instead of processes"),
    trial_limited<kMostGroups, &MessagingTrialRequest::plan, &MessagingPlan::groups>(
        "group", 'g', "n", "set the number of groups of 20 senders and 20 receivers (default: 10)"),
    trial_value<&MessagingTrialRequest::plan, &MessagingPlan::loops>(
        "nr_loops", 'l', "n", "send this many messages from each sender to each receiver (default: 100)"),
    kSimple<&MessagingTrialRequest::simple>,
};

template <class Request>
constexpr Option kLoops = trial_value<&Request::loops>("loop", 'l', "n", "repeat n times");
Result<> choose_groups(PipeTrialRequest& request, const Use& use) {
  request.groups = split_words(use.value);
  return {};
}
constexpr Option kPipeOptions[] = {
    {.name = "cgroups",
     .letter = 'G',
     .value = Value::Required,
     .metavar = "sender[,receiver]",
     .help = "run sender and receiver in these existing cgroups",
     .store = call<choose_groups>,
     .since = Since::Ours},
    kLoops<PipeTrialRequest>,
    trial_flag<&PipeTrialRequest::threads>("threaded", 'T', "use threads instead of processes"),
    kSimple<&PipeTrialRequest::simple>};
constexpr Option kCallOptions[] = {kLoops<CallTrialRequest>, kSimple<&CallTrialRequest::simple>};

Result<int> ping_pong(PipeTrialRequest& request, Invocation& call) {
  PEREGRINE_TRY(run_pipe_trial(request, Root(), call.out));
  return 0;
}

template <CheapCall kCall>
Result<int> system_call(CallTrialRequest& request, Invocation& call) {
  run_call_trial(kCall, request, call.out);
  return 0;
}

constexpr Command kMessaging{.name = "bench sched messaging",
                             .summary = "Groups of tasks that exchange small messages",
                             .usage = kTrialUsage,
                             .options = kMessagingOptions,
                             .run = kTrialRun<MessagingTrialRequest, run_messaging_trial>};
constexpr Command kPipe{.name = "bench sched pipe",
                        .summary = "Two tasks that wake each other through pipes",
                        .usage = kTrialUsage,
                        .options = kPipeOptions,
                        .run = entry<PipeTrialRequest, ping_pong>};
constexpr Command kBasic{.name = "bench syscall basic",
                         .summary = "Repeated getppid(2) calls",
                         .usage = kTrialUsage,
                         .options = kCallOptions,
                         .run = entry<CallTrialRequest, system_call<CheapCall::GetPpid>>};
constexpr Command kGetpgid{.name = "bench syscall getpgid",
                           .summary = "Repeated getpgid(2) calls",
                           .usage = kTrialUsage,
                           .options = kCallOptions,
                           .run = entry<CallTrialRequest, system_call<CheapCall::GetPgid>>};
constexpr Trial kSchedTrials[] = {{"messaging", &kMessaging}, {"pipe", &kPipe}};
constexpr Trial kSyscall[] = {{"basic", &kBasic}, {"getpgid", &kGetpgid}};

}  // namespace

std::span<const Trial> sched_trials() { return kSchedTrials; }
std::span<const Trial> syscall_trials() { return kSyscall; }

}  // namespace peregrine::cmd
