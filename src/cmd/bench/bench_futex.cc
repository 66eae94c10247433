// bench futex: what it costs to find, wake, move and lock what threads wait at. The texts are linux-perf's.
#include <sys/mman.h>
#include <unistd.h>

#include "cmd/bench/bench_trials.h"
#include "trial/futex.h"

namespace peregrine::cmd {
namespace {

constexpr unsigned kFutexRounds = 10;        // over which wakes are averaged
constexpr unsigned kMostFutexes = 1u << 20;  // of a thread: 4 MB

struct FutexOptions {
  bool simple = false, shared = false, silent = false, lock_memory = false, multiple = false, all_at_once = false;
  unsigned threads = 0, seconds = 10, words = 1024, at_once = 1, wakers = 0;
  bool priorities = false;
};

constexpr Option kFutexThreads = {.name = "threads",
                                  .letter = 't',
                                  .value = Value::Required,
                                  .metavar = "n",
                                  .help = "number of threads (default: one per CPU)",
                                  .store = set_at_most<kMostThreads, &FutexOptions::threads>};
constexpr Option kFutexShared = {.name = "shared",
                                 .letter = 'S',
                                 .help = "use process-shared instead of private futexes",
                                 .store = set<&FutexOptions::shared>};
constexpr Option kSilent = {
    .name = "silent", .letter = 's', .help = "show only the mean", .store = set<&FutexOptions::silent>};
constexpr Option kLockMemory = {.name = "mlockall",
                                .letter = 'm',
                                .help = "keep all memory from being paged out",
                                .store = set<&FutexOptions::lock_memory>};
constexpr Option kFutexRuntime = {.name = "runtime",
                                  .letter = 'r',
                                  .value = Value::Required,
                                  .metavar = "n",
                                  .help = "run for n seconds (default: 10)",
                                  .store = set<&FutexOptions::seconds>};

constexpr Option kHashOptions[] = {{.name = "futexes",
                                    .letter = 'f',
                                    .value = Value::Required,
                                    .metavar = "n",
                                    .help = "futexes per thread (default: 1024)",
                                    .store = set_at_most<kMostFutexes, &FutexOptions::words>},
                                   kLockMemory,
                                   kFutexRuntime,
                                   kFutexShared,
                                   kSilent,
                                   kFutexThreads,
                                   kSimple<&FutexOptions::simple>};
constexpr Option kFutexLockOptions[] = {kLockMemory,
                                        {.name = "multi",
                                         .letter = 'M',
                                         .help = "use one lock per thread instead of one for all",
                                         .store = set<&FutexOptions::multiple>},
                                        kFutexRuntime,
                                        kFutexShared,
                                        kSilent,
                                        kFutexThreads,
                                        kSimple<&FutexOptions::simple>};
constexpr Option kWakeOptions[] = {kLockMemory,
                                   kFutexShared,
                                   kSilent,
                                   kFutexThreads,
                                   {.name = "nwakes",
                                    .letter = 'w',
                                    .value = Value::Required,
                                    .metavar = "n",
                                    .help = "threads to wake at once (default: 1)",
                                    .store = set<&FutexOptions::at_once>},
                                   kSimple<&FutexOptions::simple>};
constexpr Option kParallelOptions[] = {kLockMemory,
                                       kFutexShared,
                                       kSilent,
                                       kFutexThreads,
                                       {.name = "nwakers",
                                        .letter = 'w',
                                        .value = Value::Required,
                                        .metavar = "n",
                                        .help = "number of waking threads (default: as many as waiting threads)",
                                        .store = set_at_most<kMostThreads, &FutexOptions::wakers>},
                                       kSimple<&FutexOptions::simple>};
constexpr Option kRequeueOptions[] = {{.name = "broadcast",
                                       .letter = 'B',
                                       .help = "requeue all threads at once",
                                       .store = set<&FutexOptions::all_at_once>},
                                      kLockMemory,
                                      {.name = "pi",
                                       .letter = 'p',
                                       .help = "requeue to a priority-inheritance lock",
                                       .store = set<&FutexOptions::priorities>},
                                      {.name = "nrequeue",
                                       .letter = 'q',
                                       .value = Value::Required,
                                       .metavar = "n",
                                       .help = "threads to requeue at once (default: 1)",
                                       .store = set<&FutexOptions::at_once>},
                                      kFutexShared,
                                      kSilent,
                                      kFutexThreads,
                                      kSimple<&FutexOptions::simple>};

// What all trials do first: the number of threads settled, memory locked.
Result<> prepare(FutexOptions& options) {
  options.threads = thread_count({.threads = options.threads});
  if (options.lock_memory && ::mlockall(MCL_CURRENT | MCL_FUTURE) != 0) return fail_errno("mlockall");
  return {};
}

std::string_view kind_word(const FutexOptions& options) { return options.shared ? "shared" : "private"; }

// The last line of trials that run for a time.
void tell_mean(const std::vector<u64>& counts, const FutexOptions& options, Sink& out) {
  RunStats rates;
  for (const u64 count : counts) {
    const u64 whole = count / std::max(options.seconds, 1u);  // linux-perf's means are of whole numbers
    rates.add(static_cast<double>(whole));
  }
  out.format("{}Averaged {} operations/sec (+- {:.2f}%), total secs = {}\n", options.silent ? "" : "\n",
             static_cast<u64>(rates.mean()), rates.error_percent(), options.seconds);
}

Result<int> hash(FutexOptions& options, Invocation& call) {
  PEREGRINE_TRY(prepare(options));
  if (options.words == 0) return fail(ErrorKind::Usage, "no futexes: --futexes wants at least one");
  std::vector<std::vector<u32>> words(options.threads, std::vector<u32>(options.words, 0));
  call.out.format("Run summary [PID {}]: {} threads, each operating on {} [{}] futexes for {} secs.\n\n", ::getpid(),
                  options.threads, options.words, kind_word(options), options.seconds);
  static_cast<void>(call.out.flush());
  const auto counts = run_futex_hash({.threads = options.threads, .seconds = options.seconds}, {options.shared}, words);
  if (!counts) return std::unexpected(counts.error());
  for (unsigned i = 0; i < options.threads && !options.silent; ++i) {
    const u64 rate = (*counts)[i] / std::max(options.seconds, 1u);
    const void *first = &words[i].front(), *last = &words[i].back();
    if (options.words == 1)
      call.out.format("[thread {:>2}] futex: {} [ {} ops/sec ]\n", i, fmt::ptr(first), rate);
    else
      call.out.format("[thread {:>2}] futexes: {} ... {} [ {} ops/sec ]\n", i, fmt::ptr(first), fmt::ptr(last), rate);
  }
  tell_mean(*counts, options, call.out);
  return 0;
}

Result<int> lock_pi(FutexOptions& options, Invocation& call) {
  PEREGRINE_TRY(prepare(options));
  std::vector<u32> words(options.multiple ? options.threads : 1, 0);
  call.out.format("Run summary [PID {}]: {} threads doing pi lock/unlock pairing for {} secs.\n\n", ::getpid(),
                  options.threads, options.seconds);
  static_cast<void>(call.out.flush());
  const auto counts =
      run_futex_locks({.threads = options.threads, .seconds = options.seconds}, {options.shared}, words);
  if (!counts) return std::unexpected(counts.error());
  for (unsigned i = 0; i < options.threads && !options.silent; ++i)
    call.out.format("[thread {:>3}] futex: {} [ {} ops/sec ]\n", i, fmt::ptr(&words[i % words.size()]),
                    (*counts)[i] / std::max(options.seconds, 1u));
  tell_mean(*counts, options, call.out);
  return 0;
}

Result<int> wake(FutexOptions& options, Invocation& call) {
  PEREGRINE_TRY(prepare(options));
  if (options.at_once == 0) options.at_once = 1;
  alignas(64) u32 word = 0;
  call.out.format("Run summary [PID {}]: blocking on {} threads (at [{}] futex {}), waking up {} at a time.\n\n",
                  ::getpid(), options.threads, kind_word(options), fmt::ptr(&word), options.at_once);
  RunStats times, woken;
  for (unsigned round = 1; round <= kFutexRounds; ++round) {
    const auto result =
        run_futex_wake({.threads = options.threads, .at_once = options.at_once}, {options.shared}, word);
    if (!result) return std::unexpected(result.error());
    times.add(result->seconds * 1e3);
    woken.add(result->woken);
    if (!options.silent)
      call.out.format("[Run {}]: Wokeup {} of {} threads in {:.4f} ms\n", round, result->woken, options.threads,
                      result->seconds * 1e3);
  }
  call.out.format("Wokeup {:.0f} of {} threads in {:.4f} ms (+-{:.2f}%)\n", woken.mean(), options.threads, times.mean(),
                  times.error_percent());
  return 0;
}

Result<int> wake_parallel(FutexOptions& options, Invocation& call) {
  PEREGRINE_TRY(prepare(options));
  if (options.wakers == 0 || options.wakers > options.threads) options.wakers = options.threads;
  if (options.threads % options.wakers != 0)
    return fail(ErrorKind::Usage, "{} threads cannot be shared out among {} that wake: Must be perfectly divisible",
                options.threads, options.wakers);
  const unsigned each = options.threads / options.wakers;
  alignas(64) u32 word = 0;
  call.out.format(
      "Run summary [PID {}]: blocking on {} threads (at [{}] futex {}), {} threads waking up {} at a time.\n\n",
      ::getpid(), options.threads, kind_word(options), fmt::ptr(&word), options.wakers, each);
  RunStats times, counts;
  for (unsigned round = 1; round <= kFutexRounds; ++round) {
    const auto result =
        run_futex_parallel({.threads = options.threads, .at_once = each}, options.wakers, {options.shared}, word);
    if (!result) return std::unexpected(result.error());
    RunStats time, woken;
    for (const FutexWoken& waker : *result) {
      time.add(waker.seconds * 1e3);
      woken.add(waker.woken);
    }
    times.add(time.mean());
    counts.add(woken.mean());
    if (!options.silent)
      call.out.format("[Run {}]: Avg per-thread latency (waking {:.0f}/{} threads) in {:.4f} ms (+-{:.2f}%)\n", round,
                      woken.mean(), options.threads, time.mean(), time.error_percent());
  }
  call.out.format("Avg per-thread latency (waking {:.0f}/{} threads) in {:.4f} ms (+-{:.2f}%)\n", counts.mean(),
                  options.threads, times.mean(), times.error_percent());
  return 0;
}

Result<int> requeue(FutexOptions& options, Invocation& call) {
  PEREGRINE_TRY(prepare(options));
  if (options.all_at_once || options.at_once > options.threads) options.at_once = options.threads;
  if (options.at_once == 0) options.at_once = 1;
  alignas(64) u32 from = 0;
  alignas(64) u32 to = 0;
  call.out.format("Run summary [PID {}]: Requeuing {} threads (from [{}] {} to {}{}), {} at a time.\n\n", ::getpid(),
                  options.threads, kind_word(options), fmt::ptr(&from), options.priorities ? "PI " : "", fmt::ptr(&to),
                  options.at_once);
  RunStats times, moved;
  const FutexWaiters waiters{options.threads, options.at_once, options.priorities};
  for (unsigned round = 1; round <= kFutexRounds; ++round) {
    const auto result = run_futex_requeue(waiters, {options.shared}, from, to);
    if (!result) return std::unexpected(result.error());
    const double ms = result->seconds * 1e3;
    times.add(ms);
    moved.add(result->moved + result->woken);
    if (options.silent) continue;
    if (options.priorities)
      call.out.format("[Run {}]: Awoke and Requeued ({}+{}) of {} threads in {:.4f} ms\n", round, result->woken,
                      result->moved, options.threads, ms);
    else
      call.out.format("[Run {}]: Requeued {} of {} threads in {:.4f} ms\n", round, result->moved, options.threads, ms);
  }
  call.out.format("Requeued {:.0f} of {} threads in {:.4f} ms (+-{:.2f}%)\n", moved.mean(), options.threads,
                  times.mean(), times.error_percent());
  return 0;
}

constexpr Command kHash{.name = "bench futex hash",
                        .summary = "Looking up futexes in the kernel's hash table",
                        .usage = kTrialUsage,
                        .options = kHashOptions,
                        .run = entry<FutexOptions, hash>};
constexpr Command kWake{.name = "bench futex wake",
                        .summary = "Waking threads",
                        .usage = kTrialUsage,
                        .options = kWakeOptions,
                        .run = entry<FutexOptions, wake>};
constexpr Command kWakeParallel{.name = "bench futex wake-parallel",
                                .summary = "Waking threads from several threads in parallel",
                                .usage = kTrialUsage,
                                .options = kParallelOptions,
                                .run = entry<FutexOptions, wake_parallel>};
constexpr Command kRequeue{.name = "bench futex requeue",
                           .summary = "Requeuing threads from one futex to another",
                           .usage = kTrialUsage,
                           .options = kRequeueOptions,
                           .run = entry<FutexOptions, requeue>};
constexpr Command kLockPi{.name = "bench futex lock-pi",
                          .summary = "Priority-inheritance locks",
                          .usage = kTrialUsage,
                          .options = kFutexLockOptions,
                          .run = entry<FutexOptions, lock_pi>};
constexpr Trial kFutex[] = {{"hash", &kHash},
                            {"wake", &kWake},
                            {"wake-parallel", &kWakeParallel},
                            {"requeue", &kRequeue},
                            {"lock-pi", &kLockPi}};

}  // namespace

std::span<const Trial> futex_trials() { return kFutex; }

}  // namespace peregrine::cmd
