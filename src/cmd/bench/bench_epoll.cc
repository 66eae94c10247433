// bench epoll: the options of its benchmarks.
#include <span>

#include "cli/frame/command.h"
#include "cli/option/option.h"
#include "cli/option/store.h"
#include "cmd/bench/bench_trials.h"
#include "session/bench/epoll_trials.h"
#include "trial/epoll.h"
#include "trial/timed_run.h"

namespace peregrine::cmd {
namespace {

constexpr unsigned kMostEpollFiles = 1u << 20;  // of a process, unless fs.nr_open is raised

constexpr Option kNonblocking =
    trial_flag<&EpollTrialRequest::nonblocking>("nonblocking", 'B', "poll repeatedly instead of blocking");
constexpr Option kEdge = trial_flag<&EpollTrialRequest::plan, &EpollPlan::edge>(
    "edge", 'E', "use edge-triggered instead of level-triggered events");
constexpr Option kEpollFiles = trial_limited<kMostEpollFiles, &EpollTrialRequest::plan, &EpollPlan::files>(
    "nfds", 'f', "n", "set the number of files per thread (default: 64)");
constexpr Option kOneEach = trial_flag<&EpollTrialRequest::plan, &EpollPlan::one_each>(
    "multiq", 'm', "use one epoll instance per thread instead of one for all");
constexpr Option kNested = trial_limited<kMostEpollFiles, &EpollTrialRequest::plan, &EpollPlan::nesting>(
    "nested", 'N', "n", "nest epoll instances this deep");
constexpr Option kUnbound = trial_flag<&EpollTrialRequest::unbound>("noaffinity", 'n', "do not bind threads to CPUs");
constexpr Option kRandom =
    trial_flag<&EpollTrialRequest::plan, &EpollPlan::random>("randomize", 'R', "access files in random order");
constexpr Option kEpollRuntime = trial_value<&EpollTrialRequest::plan, &EpollPlan::timed, &TimedPlan::seconds>(
    "runtime", 'r', "n", "run for n seconds (default: 8)");
constexpr Option kOnce = trial_flag<&EpollTrialRequest::plan, &EpollPlan::once>(
    "oneshot", 'S', "use one-shot events, and rearm each file after its event");
constexpr Option kEpollThreads =
    trial_limited<kMostThreads, &EpollTrialRequest::plan, &EpollPlan::timed, &TimedPlan::threads>(
        "threads", 't', "n", "set the number of threads (default: one per CPU; wait: one fewer)");
constexpr Option kVerbose = {
    .name = "verbose", .letter = 'v', .help = "show the setup", .store = count<&EpollTrialRequest::verbose>};
constexpr Option kWaitOptions[] = {kNonblocking, kEdge,         kEpollFiles, kOneEach,
                                   kNested,      kUnbound,      kRandom,     kEpollRuntime,
                                   kOnce,        kEpollThreads, kVerbose,    kSimple<&EpollTrialRequest::simple>};
constexpr Option kControlOptions[] = {kEpollFiles,   kNested,       kUnbound, kRandom,
                                      kEpollRuntime, kEpollThreads, kVerbose, kSimple<&EpollTrialRequest::simple>};

constexpr Command kWait{.name = "bench epoll wait",
                        .summary = "Concurrent epoll_wait(2) calls",
                        .usage = kTrialUsage,
                        .options = kWaitOptions,
                        .run = kTrialRun<EpollTrialRequest, run_epoll_waiting>};
constexpr Command kControl{.name = "bench epoll ctl",
                           .summary = "Concurrent epoll_ctl(2) calls",
                           .usage = kTrialUsage,
                           .options = kControlOptions,
                           .run = kTrialRun<EpollTrialRequest, run_epoll_changing>};
constexpr Trial kEpoll[] = {{"wait", &kWait}, {"ctl", &kControl}};

}  // namespace

std::span<const Trial> epoll_trials() { return kEpoll; }

}  // namespace peregrine::cmd
