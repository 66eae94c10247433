#include "trial/timed_run.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <chrono>
#include <cstddef>
#include <thread>

namespace peregrine {
namespace {

// The CPUs that this thread may run on.
std::vector<int> allowed_cpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<int> cpus;
  if (::sched_getaffinity(0, sizeof set, &set) != 0) return cpus;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &set)) cpus.push_back(cpu);
  return cpus;
}

TEST(TimedRun, HasAThreadForEachCpuUnlessToldOtherwise) {
  EXPECT_EQ(thread_count({.threads = 3}), 3u);
  const auto cpus = allowed_cpus();
  if (cpus.empty()) GTEST_SKIP() << "this system has more CPUs than a cpu_set_t";
  EXPECT_EQ(thread_count({}), cpus.size());
}

TEST(TimedRun, ReturnsWhatEachThreadDidInTheirOrder) {
  const auto done = run_timed({.threads = 4, .seconds = 0},
                              [](unsigned thread, const std::atomic<bool>&) -> u64 { return u64{thread} * 10; });
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_EQ(*done, (std::vector<u64>{0, 10, 20, 30}));
}

TEST(TimedRun, StopsThreadsAndThenWakesThoseThatWait) {
  std::atomic<bool> released = false;
  std::atomic<unsigned> ends = 0;
  const auto done = run_timed(
      {.threads = 2, .seconds = 0, .bound = false},
      [&](unsigned, const std::atomic<bool>& stop) -> u64 {
        while (!released) std::this_thread::yield();
        return stop ? 1 : 0;
      },
      [&] {
        ++ends;
        released = true;
      });
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_EQ(*done, (std::vector<u64>{1, 1})) << "the end comes after the stop";
  EXPECT_EQ(ends, 1u);
}

TEST(TimedRun, RunsUntilTheTimeIsUp) {
  const auto start = std::chrono::steady_clock::now();
  const auto done = run_timed({.threads = 1, .seconds = 1}, [](unsigned, const std::atomic<bool>& stop) -> u64 {
    u64 looks = 0;
    for (; !stop; ++looks) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return looks;
  });
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_GE(std::chrono::steady_clock::now() - start, std::chrono::seconds(1));
  EXPECT_GT((*done)[0], 0u);
}

TEST(TimedRun, BindsAThreadToOneOfItsCpusInTurn) {
  const auto before = allowed_cpus();
  if (before.empty()) GTEST_SKIP() << "this system has more CPUs than a cpu_set_t";
  for (const std::size_t number : {std::size_t{0}, before.size(), 3 * before.size() + 1}) {
    std::vector<int> after;
    std::thread([&] {
      bind_to_cpu(static_cast<unsigned>(number));
      after = allowed_cpus();
    }).join();
    EXPECT_EQ(after, (std::vector<int>{before[number % before.size()]})) << number;
  }
  EXPECT_EQ(allowed_cpus(), before) << "other threads stay as they are";
}

}  // namespace
}  // namespace peregrine
