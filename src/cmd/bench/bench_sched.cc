// bench sched and bench syscall: messages between many, two that wake each other, cheap system calls.
#include "cmd/bench/bench_trials.h"
#include "cmd/recording/recording.h"
#include "sys/process/cgroup.h"
#include "trial/messaging.h"
#include "trial/ping_pong.h"
#include "trial/timed_run.h"

namespace peregrine::cmd {
namespace {

void tell_rate(Sink& out, double seconds, u64 loops) {
  const double count = static_cast<double>(loops);
  out.format("\n {:14.6f} usecs/op\n {:14} ops/sec\n", seconds * 1e6 / count,
             static_cast<u64>(seconds > 0 ? count / seconds : 0));
}

constexpr unsigned kMostGroups = kMostThreads / (2 * MessagingPlan::kSide);

struct MessagingOptions {
  bool simple = false;
  MessagingPlan plan;
};
constexpr Option kMessagingOptions[] = {
    {.name = "pipe",
     .letter = 'p',
     .help = "use pipes instead of sockets",
     .store = set<&MessagingOptions::plan, &MessagingPlan::pipes>},
    {.name = "thread",
     .letter = 't',
     .help = "use threads instead of processes",
     .store = set<&MessagingOptions::plan, &MessagingPlan::threads>},
    {.name = "group",
     .letter = 'g',
     .value = Value::Required,
     .metavar = "n",
     .help = "number of groups of 20 senders and 20 receivers (default: 10)",
     .store = set_at_most<kMostGroups, &MessagingOptions::plan, &MessagingPlan::groups>},
    {.name = "nr_loops",
     .letter = 'l',
     .value = Value::Required,
     .metavar = "n",
     .help = "messages from each sender to each receiver (default: 100)",
     .store = set<&MessagingOptions::plan, &MessagingPlan::loops>},
    kSimple<&MessagingOptions::simple>,
};

Result<int> messaging(MessagingOptions& options, Invocation& call) {
  const MessagingPlan& plan = options.plan;
  const auto seconds = run_messaging(plan);
  if (!seconds) return std::unexpected(seconds.error());
  if (options.simple) {
    call.out.format("{:.3f}\n", *seconds);
    return 0;
  }
  const std::string_view workers = plan.threads ? "threads" : "processes";
  call.out.format("# {} sender and receiver {} per group\n# {} groups == {} {} run\n\n", MessagingPlan::kSide, workers,
                  plan.groups, plan.groups * 2 * MessagingPlan::kSide, workers);
  tell_total(call.out, *seconds);
  return 0;
}

struct LoopOptions {
  bool simple = false, threads = false;
  std::string groups;  // -G
  u64 loops = 0;       // 0: what is usual
};
constexpr Option kLoops = {.name = "loop",
                           .letter = 'l',
                           .value = Value::Required,
                           .metavar = "n",
                           .help = "repeat n times",
                           .store = set<&LoopOptions::loops>};
constexpr Option kPipeOptions[] = {{.name = "cgroups",
                                    .letter = 'G',
                                    .value = Value::Required,
                                    .metavar = "sender[,receiver]",
                                    .help = "run the two processes in these existing cgroups",
                                    .store = set<&LoopOptions::groups>,
                                    .since = Since::Ours},
                                   kLoops,
                                   {.name = "threaded",
                                    .letter = 'T',
                                    .help = "use threads instead of processes",
                                    .store = set<&LoopOptions::threads>},
                                   kSimple<&LoopOptions::simple>};
constexpr Option kCallOptions[] = {kLoops, kSimple<&LoopOptions::simple>};

// -G as folders. Errors: Usage, a group that does not exist.
Result<> choose_groups(const LoopOptions& options, PingPong& game) {
  const std::vector<std::string> names = split_words(options.groups);
  if (names.empty()) return {};
  if (names.size() > 2) return fail(ErrorKind::Usage, "-G takes at most two control groups");
  if (options.threads) return fail(ErrorKind::Usage, "-G cannot be combined with --threaded");
  for (std::size_t i = 0; i < names.size(); ++i) {
    auto folder = unified_cgroup_folder(Root(), names[i]);
    if (!folder) return std::unexpected(std::move(folder.error()));
    (i == 0 ? game.sender_group : game.receiver_group) = std::move(*folder);
  }
  if (names.size() == 1) game.receiver_group = game.sender_group;
  return {};
}

Result<int> ping_pong(LoopOptions& options, Invocation& call) {
  if (options.loops == 0) options.loops = 1'000'000;
  PingPong game{.loops = options.loops, .threads = options.threads};
  PEREGRINE_TRY(choose_groups(options, game));
  const auto seconds = run_ping_pong(game);
  if (!seconds) return std::unexpected(seconds.error());
  if (options.simple) {
    call.out.format("{:.3f}\n", *seconds);
    return 0;
  }
  call.out.format("# Executed {} pipe operations between two {}\n\n", options.loops,
                  options.threads ? "threads" : "processes");
  tell_total(call.out, *seconds);
  tell_rate(call.out, *seconds, options.loops);
  return 0;
}

template <CheapCall kCall>
Result<int> system_call(LoopOptions& options, Invocation& call) {
  if (options.loops == 0) options.loops = 10'000'000;
  const double seconds = run_system_calls(kCall, options.loops);
  if (options.simple) {
    call.out.format("{:.3f}\n", seconds);
    return 0;
  }
  call.out.format("# Executed {} {}() calls\n", options.loops, kCall == CheapCall::GetPpid ? "getppid" : "getpgid");
  tell_total(call.out, seconds);
  tell_rate(call.out, seconds, options.loops);
  return 0;
}

constexpr Command kMessaging{.name = "bench sched messaging",
                             .summary = "Many senders and receivers of small messages",
                             .usage = kTrialUsage,
                             .options = kMessagingOptions,
                             .run = entry<MessagingOptions, messaging>};
constexpr Command kPipe{.name = "bench sched pipe",
                        .summary = "Two tasks that wake each other through pipes",
                        .usage = kTrialUsage,
                        .options = kPipeOptions,
                        .run = entry<LoopOptions, ping_pong>};
constexpr Command kBasic{.name = "bench syscall basic",
                         .summary = "Repeated getppid(2) calls",
                         .usage = kTrialUsage,
                         .options = kCallOptions,
                         .run = entry<LoopOptions, system_call<CheapCall::GetPpid>>};
constexpr Command kGetpgid{.name = "bench syscall getpgid",
                           .summary = "Repeated getpgid(2) calls",
                           .usage = kTrialUsage,
                           .options = kCallOptions,
                           .run = entry<LoopOptions, system_call<CheapCall::GetPgid>>};
constexpr Trial kSchedTrials[] = {{"messaging", &kMessaging}, {"pipe", &kPipe}};
constexpr Trial kSyscall[] = {{"basic", &kBasic}, {"getpgid", &kGetpgid}};

}  // namespace

std::span<const Trial> sched_trials() { return kSchedTrials; }
std::span<const Trial> syscall_trials() { return kSyscall; }

}  // namespace peregrine::cmd
