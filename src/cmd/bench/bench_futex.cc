// bench futex: the options of its benchmarks.
#include "cmd/bench/bench_trials.h"
#include "session/bench/futex_trials.h"
#include "trial/timed_run.h"

namespace peregrine::cmd {
namespace {

constexpr unsigned kMostFutexes = 1u << 20;  // of a thread: 4 MB

constexpr Option kFutexThreads = {.name = "threads",
                                  .letter = 't',
                                  .value = Value::Required,
                                  .metavar = "n",
                                  .help = "number of threads (default: one per CPU)",
                                  .store = set_at_most<kMostThreads, &FutexTrialRequest::threads>};
constexpr Option kFutexShared = {.name = "shared",
                                 .letter = 'S',
                                 .help = "use process-shared instead of private futexes",
                                 .store = set<&FutexTrialRequest::shared>};
constexpr Option kSilent = {
    .name = "silent", .letter = 's', .help = "show only the mean", .store = set<&FutexTrialRequest::silent>};
constexpr Option kLockMemory = {.name = "mlockall",
                                .letter = 'm',
                                .help = "keep all memory from being paged out",
                                .store = set<&FutexTrialRequest::lock_memory>};
constexpr Option kFutexRuntime = {.name = "runtime",
                                  .letter = 'r',
                                  .value = Value::Required,
                                  .metavar = "n",
                                  .help = "run for n seconds (default: 10)",
                                  .store = set<&FutexTrialRequest::seconds>};

constexpr Option kHashOptions[] = {{.name = "futexes",
                                    .letter = 'f',
                                    .value = Value::Required,
                                    .metavar = "n",
                                    .help = "futexes per thread (default: 1024)",
                                    .store = set_at_most<kMostFutexes, &FutexTrialRequest::words>},
                                   kLockMemory,
                                   kFutexRuntime,
                                   kFutexShared,
                                   kSilent,
                                   kFutexThreads,
                                   kSimple<&FutexTrialRequest::simple>};
constexpr Option kFutexLockOptions[] = {kLockMemory,
                                        {.name = "multi",
                                         .letter = 'M',
                                         .help = "use one lock per thread instead of one for all",
                                         .store = set<&FutexTrialRequest::multiple>},
                                        kFutexRuntime,
                                        kFutexShared,
                                        kSilent,
                                        kFutexThreads,
                                        kSimple<&FutexTrialRequest::simple>};
constexpr Option kWakeOptions[] = {kLockMemory,
                                   kFutexShared,
                                   kSilent,
                                   kFutexThreads,
                                   {.name = "nwakes",
                                    .letter = 'w',
                                    .value = Value::Required,
                                    .metavar = "n",
                                    .help = "threads to wake at once (default: 1)",
                                    .store = set<&FutexTrialRequest::at_once>},
                                   kSimple<&FutexTrialRequest::simple>};
constexpr Option kParallelOptions[] = {kLockMemory,
                                       kFutexShared,
                                       kSilent,
                                       kFutexThreads,
                                       {.name = "nwakers",
                                        .letter = 'w',
                                        .value = Value::Required,
                                        .metavar = "n",
                                        .help = "number of waking threads (default: as many as waiting threads)",
                                        .store = set_at_most<kMostThreads, &FutexTrialRequest::wakers>},
                                       kSimple<&FutexTrialRequest::simple>};
constexpr Option kRequeueOptions[] = {{.name = "broadcast",
                                       .letter = 'B',
                                       .help = "requeue all threads at once",
                                       .store = set<&FutexTrialRequest::all_at_once>},
                                      kLockMemory,
                                      {.name = "pi",
                                       .letter = 'p',
                                       .help = "requeue to a priority-inheritance lock",
                                       .store = set<&FutexTrialRequest::priorities>},
                                      {.name = "nrequeue",
                                       .letter = 'q',
                                       .value = Value::Required,
                                       .metavar = "n",
                                       .help = "threads to requeue at once (default: 1)",
                                       .store = set<&FutexTrialRequest::at_once>},
                                      kFutexShared,
                                      kSilent,
                                      kFutexThreads,
                                      kSimple<&FutexTrialRequest::simple>};

constexpr Command kHash{.name = "bench futex hash",
                        .summary = "Looking up futexes in the kernel's hash table",
                        .usage = kTrialUsage,
                        .options = kHashOptions,
                        .run = kTrialRun<FutexTrialRequest, run_futex_lookups>};
constexpr Command kWake{.name = "bench futex wake",
                        .summary = "Waking threads",
                        .usage = kTrialUsage,
                        .options = kWakeOptions,
                        .run = kTrialRun<FutexTrialRequest, run_futex_wakes>};
constexpr Command kWakeParallel{.name = "bench futex wake-parallel",
                                .summary = "Waking threads from several threads in parallel",
                                .usage = kTrialUsage,
                                .options = kParallelOptions,
                                .run = kTrialRun<FutexTrialRequest, run_futex_parallel_wakes>};
constexpr Command kRequeue{.name = "bench futex requeue",
                           .summary = "Requeuing threads from one futex to another",
                           .usage = kTrialUsage,
                           .options = kRequeueOptions,
                           .run = kTrialRun<FutexTrialRequest, run_futex_requeues>};
constexpr Command kLockPi{.name = "bench futex lock-pi",
                          .summary = "Priority-inheritance locks",
                          .usage = kTrialUsage,
                          .options = kFutexLockOptions,
                          .run = kTrialRun<FutexTrialRequest, run_futex_lock_pairs>};
constexpr Trial kFutex[] = {{"hash", &kHash},
                            {"wake", &kWake},
                            {"wake-parallel", &kWakeParallel},
                            {"requeue", &kRequeue},
                            {"lock-pi", &kLockPi}};

}  // namespace

std::span<const Trial> futex_trials() { return kFutex; }

}  // namespace peregrine::cmd
