// bench epoll: the options of its benchmarks.
#include "cmd/bench/bench_trials.h"
#include "session/bench/epoll_trials.h"
#include "trial/timed_run.h"

namespace peregrine::cmd {
namespace {

constexpr unsigned kMostEpollFiles = 1u << 20;  // of a process, unless fs.nr_open is raised

constexpr Option kNonblocking = {.name = "nonblocking",
                                 .letter = 'B',
                                 .help = "poll repeatedly instead of blocking",
                                 .store = set<&EpollTrialRequest::nonblocking>};
constexpr Option kEdge = {.name = "edge",
                          .letter = 'E',
                          .help = "use edge-triggered instead of level-triggered events",
                          .store = set<&EpollTrialRequest::plan, &EpollPlan::edge>};
constexpr Option kEpollFiles = {.name = "nfds",
                                .letter = 'f',
                                .value = Value::Required,
                                .metavar = "n",
                                .help = "files per thread (default: 64)",
                                .store = set_at_most<kMostEpollFiles, &EpollTrialRequest::plan, &EpollPlan::files>};
constexpr Option kOneEach = {.name = "multiq",
                             .letter = 'm',
                             .help = "use one epoll instance per thread instead of one for all",
                             .store = set<&EpollTrialRequest::plan, &EpollPlan::one_each>};
constexpr Option kNested = {.name = "nested",
                            .letter = 'N',
                            .value = Value::Required,
                            .metavar = "n",
                            .help = "nest epoll instances this deep",
                            .store = set_at_most<kMostEpollFiles, &EpollTrialRequest::plan, &EpollPlan::nesting>};
constexpr Option kUnbound = {.name = "noaffinity",
                             .letter = 'n',
                             .help = "do not bind threads to CPUs",
                             .store = set<&EpollTrialRequest::unbound>};
constexpr Option kRandom = {.name = "randomize",
                            .letter = 'R',
                            .help = "use files in random order",
                            .store = set<&EpollTrialRequest::plan, &EpollPlan::random>};
constexpr Option kEpollRuntime = {.name = "runtime",
                                  .letter = 'r',
                                  .value = Value::Required,
                                  .metavar = "n",
                                  .help = "run for n seconds (default: 8)",
                                  .store = set<&EpollTrialRequest::plan, &EpollPlan::timed, &TimedPlan::seconds>};
constexpr Option kOnce = {.name = "oneshot",
                          .letter = 'S',
                          .help = "use one-shot events, and rearm each file after its event",
                          .store = set<&EpollTrialRequest::plan, &EpollPlan::once>};
constexpr Option kEpollThreads = {
    .name = "threads",
    .letter = 't',
    .value = Value::Required,
    .metavar = "n",
    .help = "number of threads (default: one per CPU, for wait one less)",
    .store = set_at_most<kMostThreads, &EpollTrialRequest::plan, &EpollPlan::timed, &TimedPlan::threads>};
constexpr Option kVerbose = {
    .name = "verbose", .letter = 'v', .help = "show the setup", .store = count<&EpollTrialRequest::verbose>};
constexpr Option kWaitOptions[] = {kNonblocking, kEdge,         kEpollFiles, kOneEach,
                                   kNested,      kUnbound,      kRandom,     kEpollRuntime,
                                   kOnce,        kEpollThreads, kVerbose,    kSimple<&EpollTrialRequest::simple>};
constexpr Option kControlOptions[] = {kEpollFiles,   kNested,       kUnbound, kRandom,
                                      kEpollRuntime, kEpollThreads, kVerbose, kSimple<&EpollTrialRequest::simple>};

constexpr Command kWait{.name = "bench epoll wait",
                        .summary = "Waiting for files in many threads",
                        .usage = kTrialUsage,
                        .options = kWaitOptions,
                        .run = kTrialRun<EpollTrialRequest, run_epoll_waiting>};
constexpr Command kControl{.name = "bench epoll ctl",
                           .summary = "Changing the set of watched files in many threads",
                           .usage = kTrialUsage,
                           .options = kControlOptions,
                           .run = kTrialRun<EpollTrialRequest, run_epoll_changing>};
constexpr Trial kEpoll[] = {{"wait", &kWait}, {"ctl", &kControl}};

}  // namespace

std::span<const Trial> epoll_trials() { return kEpoll; }

}  // namespace peregrine::cmd
