#include "session/bench/futex_trials.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <expected>
#include <string_view>
#include <vector>

#include "analysis/stat/run_stats.h"
#include "base/types.h"
#include "trial/futex.h"
#include "trial/timed_run.h"

namespace peregrine {
namespace {

constexpr unsigned kFutexRounds = 10;  // over which results are averaged

// Returns the number of threads. Locks the memory if requested.
Result<unsigned> prepare_futexes(const FutexTrialRequest& request) {
  if (request.lock_memory && ::mlockall(MCL_CURRENT | MCL_FUTURE) != 0) return fail_errno("mlockall");
  return thread_count({.threads = request.threads});
}

std::string_view kind_of_futex(const FutexTrialRequest& request) { return request.shared ? "shared" : "private"; }

// The last line of benchmarks that run for a number of seconds.
void write_futex_mean(const std::vector<u64>& counts, const FutexTrialRequest& request, Sink& out) {
  RunStats rates;
  for (const u64 count : counts) {
    const u64 whole = count / std::max(request.seconds, 1u);  // linux-perf averages integers
    rates.add(static_cast<double>(whole));
  }
  out.format("{}Averaged {} operations/sec (+- {:.2f}%), total secs = {}\n", request.silent ? "" : "\n",
             static_cast<u64>(rates.mean()), rates.error_percent(), request.seconds);
}

}  // namespace

Result<> run_futex_lookups(const FutexTrialRequest& request, Sink& out) {
  const auto threads = prepare_futexes(request);
  if (!threads) return std::unexpected(threads.error());
  if (request.words == 0) return fail(ErrorKind::Usage, "--futexes must be at least 1");
  std::vector<std::vector<u32>> words(*threads, std::vector<u32>(request.words, 0));
  out.format("Run summary [PID {}]: {} threads, each operating on {} [{}] futexes for {} secs.\n\n", ::getpid(),
             *threads, request.words, kind_of_futex(request), request.seconds);
  static_cast<void>(out.flush());
  const auto counts = run_futex_hash({.threads = *threads, .seconds = request.seconds}, {request.shared}, words);
  if (!counts) return std::unexpected(counts.error());
  for (unsigned i = 0; i < *threads && !request.silent; ++i) {
    const u64 rate = (*counts)[i] / std::max(request.seconds, 1u);
    const void *first = &words[i].front(), *last = &words[i].back();
    if (request.words == 1)
      out.format("[thread {:>2}] futex: {} [ {} ops/sec ]\n", i, fmt::ptr(first), rate);
    else
      out.format("[thread {:>2}] futexes: {} ... {} [ {} ops/sec ]\n", i, fmt::ptr(first), fmt::ptr(last), rate);
  }
  write_futex_mean(*counts, request, out);
  return {};
}

Result<> run_futex_lock_pairs(const FutexTrialRequest& request, Sink& out) {
  const auto threads = prepare_futexes(request);
  if (!threads) return std::unexpected(threads.error());
  std::vector<u32> words(request.multiple ? *threads : 1, 0);
  out.format("Run summary [PID {}]: {} threads doing pi lock/unlock pairing for {} secs.\n\n", ::getpid(), *threads,
             request.seconds);
  static_cast<void>(out.flush());
  const auto counts = run_futex_locks({.threads = *threads, .seconds = request.seconds}, {request.shared}, words);
  if (!counts) return std::unexpected(counts.error());
  for (unsigned i = 0; i < *threads && !request.silent; ++i)
    out.format("[thread {:>3}] futex: {} [ {} ops/sec ]\n", i, fmt::ptr(&words[i % words.size()]),
               (*counts)[i] / std::max(request.seconds, 1u));
  write_futex_mean(*counts, request, out);
  return {};
}

Result<> run_futex_wakes(const FutexTrialRequest& request, Sink& out) {
  const auto threads = prepare_futexes(request);
  if (!threads) return std::unexpected(threads.error());
  const unsigned at_once = std::max(request.at_once, 1u);
  alignas(64) u32 word = 0;
  out.format("Run summary [PID {}]: blocking on {} threads (at [{}] futex {}), waking up {} at a time.\n\n", ::getpid(),
             *threads, kind_of_futex(request), fmt::ptr(&word), at_once);
  RunStats times, woken;
  for (unsigned round = 1; round <= kFutexRounds; ++round) {
    const auto result = run_futex_wake({.threads = *threads, .at_once = at_once}, {request.shared}, word);
    if (!result) return std::unexpected(result.error());
    times.add(result->seconds * 1e3);
    woken.add(result->woken);
    if (!request.silent)
      out.format("[Run {}]: Wokeup {} of {} threads in {:.4f} ms\n", round, result->woken, *threads,
                 result->seconds * 1e3);
  }
  out.format("Wokeup {:.0f} of {} threads in {:.4f} ms (+-{:.2f}%)\n", woken.mean(), *threads, times.mean(),
             times.error_percent());
  return {};
}

Result<> run_futex_parallel_wakes(const FutexTrialRequest& request, Sink& out) {
  const auto threads = prepare_futexes(request);
  if (!threads) return std::unexpected(threads.error());
  const unsigned wakers = request.wakers == 0 ? *threads : std::min(request.wakers, *threads);
  if (*threads % wakers != 0)
    return fail(ErrorKind::Usage, "{} threads cannot be divided among {} waking threads: Must be perfectly divisible",
                *threads, wakers);
  const unsigned each = *threads / wakers;
  alignas(64) u32 word = 0;
  out.format("Run summary [PID {}]: blocking on {} threads (at [{}] futex {}), {} threads waking up {} at a time.\n\n",
             ::getpid(), *threads, kind_of_futex(request), fmt::ptr(&word), wakers, each);
  RunStats times, counts;
  for (unsigned round = 1; round <= kFutexRounds; ++round) {
    const auto result = run_futex_parallel({.threads = *threads, .at_once = each}, wakers, {request.shared}, word);
    if (!result) return std::unexpected(result.error());
    RunStats time, woken;
    for (const FutexWoken& waker : *result) {
      time.add(waker.seconds * 1e3);
      woken.add(waker.woken);
    }
    times.add(time.mean());
    counts.add(woken.mean());
    if (!request.silent)
      out.format("[Run {}]: Avg per-thread latency (waking {:.0f}/{} threads) in {:.4f} ms (+-{:.2f}%)\n", round,
                 woken.mean(), *threads, time.mean(), time.error_percent());
  }
  out.format("Avg per-thread latency (waking {:.0f}/{} threads) in {:.4f} ms (+-{:.2f}%)\n", counts.mean(), *threads,
             times.mean(), times.error_percent());
  return {};
}

Result<> run_futex_requeues(const FutexTrialRequest& request, Sink& out) {
  const auto threads = prepare_futexes(request);
  if (!threads) return std::unexpected(threads.error());
  const unsigned at_once = request.all_at_once ? *threads : std::clamp(request.at_once, 1u, *threads);
  alignas(64) u32 from = 0;
  alignas(64) u32 to = 0;
  out.format("Run summary [PID {}]: Requeuing {} threads (from [{}] {} to {}{}), {} at a time.\n\n", ::getpid(),
             *threads, kind_of_futex(request), fmt::ptr(&from), request.priorities ? "PI " : "", fmt::ptr(&to),
             at_once);
  RunStats times, moved;
  const FutexWaiters waiters{*threads, at_once, request.priorities};
  for (unsigned round = 1; round <= kFutexRounds; ++round) {
    const auto result = run_futex_requeue(waiters, {request.shared}, from, to);
    if (!result) return std::unexpected(result.error());
    const double ms = result->seconds * 1e3;
    times.add(ms);
    moved.add(result->moved + result->woken);
    if (request.silent) continue;
    if (request.priorities)
      out.format("[Run {}]: Awoke and Requeued ({}+{}) of {} threads in {:.4f} ms\n", round, result->woken,
                 result->moved, *threads, ms);
    else
      out.format("[Run {}]: Requeued {} of {} threads in {:.4f} ms\n", round, result->moved, *threads, ms);
  }
  out.format("Requeued {:.0f} of {} threads in {:.4f} ms (+-{:.2f}%)\n", moved.mean(), *threads, times.mean(),
             times.error_percent());
  return {};
}

}  // namespace peregrine
