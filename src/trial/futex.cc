#include "trial/futex.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <exception>
#include <expected>
#include <functional>
#include <latch>
#include <thread>

#include "base/guarded.h"
#include "base/result.h"
#include "base/types.h"
#include "trial/stop_watch.h"

namespace peregrine {

namespace {

constexpr std::chrono::milliseconds kFallAsleep{100};  // time for waiting threads to fall asleep

// `count` is the timeout for operations that have one, otherwise the number of waiters to move.
long futex(u32* word, int operation, FutexKind kind, u32 value, std::size_t count = 0, u32* other = nullptr,
           u32 expected = 0) {
  const int flag = kind.is_shared ? 0 : FUTEX_PRIVATE_FLAG;
  return ::syscall(SYS_futex, word, operation | flag, value, count, other, expected);
}

// Threads that sleep until they are woken; joined on destruction.
class Sleepers {
 public:
  Result<> start(unsigned count, const std::function<void()>& wait) {
    std::latch there(count);
    try {
      for (unsigned i = 0; i < count; ++i)
        threads_.emplace_back([&there, wait] {
          there.count_down();
          wait();
        });
    } catch (const std::exception& error) {
      there.count_down(count - static_cast<std::ptrdiff_t>(threads_.size()));
      return std::unexpected(error_of(error));
    }
    there.wait();
    std::this_thread::sleep_for(kFallAsleep);
    return {};
  }

 private:
  std::vector<std::jthread> threads_;
};

void wait_at(u32& word, FutexKind kind) {
  while (futex(&word, FUTEX_WAIT, kind, 0) != 0 && errno == EINTR) {
  }
}

// Wakes all threads, including those that are about to sleep: no thread may remain when a trial ends.
void release(u32& word, FutexKind kind) {
  std::atomic_ref<u32>{word}.store(1);
  futex(&word, FUTEX_WAKE, kind, ~0u >> 1);
}

}  // namespace

Result<std::vector<u64>> run_futex_hash(const TimedPlan& plan, FutexKind kind, std::vector<std::vector<u32>>& words) {
  return run_timed(plan, [&](unsigned thread, const std::atomic<bool>& stop) {
    u64 done = 0;
    do {
      for (u32& word : words[thread]) futex(&word, FUTEX_WAIT, kind, word + 1);
      done += words[thread].size();
    } while (!stop);
    return done;
  });
}

Result<std::vector<u64>> run_futex_locks(const TimedPlan& plan, FutexKind kind, std::vector<u32>& words) {
  return run_timed(plan, [&](unsigned thread, const std::atomic<bool>& stop) {
    u32* word = &words[thread % words.size()];
    u64 done = 0;
    do {
      while (futex(word, FUTEX_LOCK_PI, kind, 0) != 0 && !stop) {
      }
      ::usleep(1);
      if (futex(word, FUTEX_UNLOCK_PI, kind, 0) == 0) ++done;
    } while (!stop);
    return done;
  });
}

Result<FutexWoken> run_futex_wake(const FutexWaiters& waiters, FutexKind kind, u32& word) {
  word = 0;
  Sleepers sleepers;
  const auto started = sleepers.start(waiters.threads, [&] { wait_at(word, kind); });
  FutexWoken result;
  if (started) {
    const StopWatch watch;
    while (result.woken < waiters.threads) {
      const long woken = futex(&word, FUTEX_WAKE, kind, waiters.at_once);
      if (woken < 0) break;
      result.woken += static_cast<unsigned>(woken);
    }
    result.seconds = watch.seconds();
  }
  release(word, kind);
  if (!started) return std::unexpected(started.error());
  return result;
}

Result<FutexWoken> run_futex_requeue(const FutexWaiters& waiters, FutexKind kind, u32& from, u32& to) {
  from = to = 0;
  const bool priorities = waiters.priorities;
  Sleepers sleepers;
  const auto started = sleepers.start(waiters.threads, [&, priorities] {
    if (!priorities) return wait_at(from, kind);
    // The wait returns with the lock held.
    if (futex(&from, FUTEX_WAIT_REQUEUE_PI, kind, 0, 0, &to) == 0) futex(&to, FUTEX_UNLOCK_PI, kind, 0);
  });
  FutexWoken result;
  if (started) {
    const int operation = priorities ? FUTEX_CMP_REQUEUE_PI : FUTEX_CMP_REQUEUE;
    const StopWatch watch;
    while (result.woken + result.moved < waiters.threads) {
      // With priorities, the kernel wakes one thread as the lock's owner and includes it in the number of moved ones.
      const long moved = futex(&from, operation, kind, priorities ? 1 : 0, waiters.at_once, &to, 0);
      if (moved < 0 && errno != EAGAIN) break;
      if (moved <= 0) continue;
      result.woken += priorities ? 1 : 0;
      result.moved += static_cast<unsigned>(moved) - (priorities ? 1 : 0);
    }
    result.seconds = watch.seconds();
  }
  release(from, kind);
  if (!priorities) release(to, kind);
  if (!started) return std::unexpected(started.error());
  return result;
}

Result<std::vector<FutexWoken>> run_futex_parallel(const FutexWaiters& waiters, unsigned wakers, FutexKind kind,
                                                   u32& word) {
  word = 0;
  Sleepers sleepers;
  if (auto started = sleepers.start(waiters.threads, [&] { wait_at(word, kind); }); !started) {
    release(word, kind);
    return std::unexpected(started.error());
  }
  auto done = std::vector<FutexWoken>(wakers);
  {
    std::latch begin(1);
    std::vector<std::jthread> threads;
    const auto started = guarded([&]() -> Result<> {
      for (FutexWoken& each : done)
        threads.emplace_back([&] {
          begin.wait();
          const StopWatch watch;
          const long woken = futex(&word, FUTEX_WAKE, kind, waiters.at_once);
          each = {static_cast<unsigned>(std::max(woken, 0L)), 0, watch.seconds()};
        });
      return {};
    });
    begin.count_down();
    if (!started) {
      release(word, kind);
      return std::unexpected(started.error());
    }
  }
  release(word, kind);
  return done;
}

}  // namespace peregrine
