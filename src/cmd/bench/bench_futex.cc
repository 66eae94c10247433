// bench futex: the options of its benchmarks.
#include <span>

#include "cli/frame/command.h"
#include "cli/option/option.h"
#include "cmd/bench/bench_trials.h"
#include "session/bench/futex_trials.h"
#include "trial/timed_run.h"

namespace peregrine::cmd {
namespace {

constexpr unsigned kMostFutexes = 1u << 20;  // of a thread: 4 MB

constexpr Option kFutexThreads = trial_limited<kMostThreads, &FutexTrialRequest::threads>(
    "threads", 't', "n", "set the number of threads (default: one per CPU)");
constexpr Option kFutexShared =
    trial_flag<&FutexTrialRequest::shared>("shared", 'S', "use process-shared instead of private futexes");
constexpr Option kSilent = trial_flag<&FutexTrialRequest::silent>("silent", 's', "show only the mean");
constexpr Option kLockMemory =
    trial_flag<&FutexTrialRequest::lock_memory>("mlockall", 'm', "lock all memory with mlockall(2)");
constexpr Option kFutexRuntime =
    trial_value<&FutexTrialRequest::seconds>("runtime", 'r', "n", "run for n seconds (default: 10)");

constexpr Option kHashOptions[] = {trial_limited<kMostFutexes, &FutexTrialRequest::words>(
                                       "futexes", 'f', "n", "set the number of futexes per thread (default: 1024)"),
                                   kLockMemory,
                                   kFutexRuntime,
                                   kFutexShared,
                                   kSilent,
                                   kFutexThreads,
                                   kSimple<&FutexTrialRequest::simple>};
constexpr Option kFutexLockOptions[] = {
    kLockMemory,
    trial_flag<&FutexTrialRequest::multiple>("multi", 'M', "use one lock per thread instead of one for all"),
    kFutexRuntime,
    kFutexShared,
    kSilent,
    kFutexThreads,
    kSimple<&FutexTrialRequest::simple>};
constexpr Option kWakeOptions[] = {
    kLockMemory,
    kFutexShared,
    kSilent,
    kFutexThreads,
    trial_value<&FutexTrialRequest::at_once>("nwakes", 'w', "n", "wake this many threads at once (default: 1)"),
    kSimple<&FutexTrialRequest::simple>};
constexpr Option kParallelOptions[] = {
    kLockMemory,
    kFutexShared,
    kSilent,
    kFutexThreads,
    trial_limited<kMostThreads, &FutexTrialRequest::wakers>(
        "nwakers", 'w', "n", "set the number of waking threads (default: as many as waiting threads)"),
    kSimple<&FutexTrialRequest::simple>};
constexpr Option kRequeueOptions[] = {
    trial_flag<&FutexTrialRequest::all_at_once>("broadcast", 'B', "requeue all threads at once"),
    kLockMemory,
    trial_flag<&FutexTrialRequest::priorities>("pi", 'p', "requeue to a priority-inheritance lock"),
    trial_value<&FutexTrialRequest::at_once>("nrequeue", 'q', "n", "requeue this many threads at once (default: 1)"),
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
                                .summary = "Waking threads in parallel",
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
