#include "base/concurrency/available_cpus.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <thread>

namespace peregrine {
namespace {

TEST(AvailableCpus, AsksWithLargerSetsUntilTheKernelAnswers) {
  const unsigned cpus = available_cpus([](std::size_t size, cpu_set_t* set) {
    if (size * 8 < 4096) return EINVAL;  // this kernel may have 4,096 CPUs
    for (const std::size_t cpu : {0, 7, 1500, 4095}) CPU_SET_S(cpu, size, set);
    return 0;
  });
  EXPECT_EQ(cpus, 4u);
}

TEST(AvailableCpus, AreTheHardwareThreadsWithoutAnAnswer) {
  const unsigned threads = std::max(std::thread::hardware_concurrency(), 1u);
  EXPECT_EQ(available_cpus([](std::size_t, cpu_set_t*) { return EINVAL; }), threads);
  EXPECT_EQ(available_cpus([](std::size_t, cpu_set_t*) { return EPERM; }), threads);
}

TEST(AvailableCpus, AreThoseOfThisThread) {
  const unsigned cpus = available_cpus();
  EXPECT_GE(cpus, 1u);
  cpu_set_t set;
  if (::sched_getaffinity(0, sizeof set, &set) == 0) EXPECT_EQ(cpus, static_cast<unsigned>(CPU_COUNT(&set)));
}

}  // namespace
}  // namespace peregrine
