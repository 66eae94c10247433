// Requests that LockWatcher and WorkWatcher refuse before they use the kernel.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <numeric>
#include <vector>

#include "base/result.h"
#include "base/types.h"
#include "capture/scheduling/lock_watcher.h"
#include "capture/scheduling/work_watcher.h"
#include "capture/target/target.h"

namespace peregrine {
namespace {

constexpr std::size_t kLimitOfFilters = 16;  // as documented for LockWatchRequest

Error lock_watch_error(const LockWatchRequest& request, const Target& target = {.threads = {1}}) {
  const auto opened = LockWatcher::open(request, target, false, {});
  return opened ? Error{} : opened.error();
}

template <class T>
std::vector<T> first_numbers(std::size_t count) {
  std::vector<T> numbers(count);
  std::iota(numbers.begin(), numbers.end(), T{1});
  return numbers;
}

TEST(LockWatchRequest, AtMostSixteenOfEachFilter) {
  struct Case {
    LockWatchRequest request;
    const char* message;
  };
  const std::vector<LockWatchRequest::Delay> delays(kLimitOfFilters + 1, {.lock = 1, .ns = 1});
  const Case cases[] = {
      {{.types = first_numbers<u32>(kLimitOfFilters + 1)}, "cannot select more than 16 lock types"},
      {{.locks = first_numbers<u64>(kLimitOfFilters + 1)}, "cannot select more than 16 locks"},
      {{.cgroups = first_numbers<u64>(1000)}, "cannot select more than 16 control groups"},
      {{.delays = delays}, "too many locks to delay (maximum 16)"},
  };
  for (const Case& each : cases) {
    const Error error = lock_watch_error(each.request);
    EXPECT_EQ(error.message, each.message);
    EXPECT_EQ(error.kind, ErrorKind::Usage) << each.message;
  }
}

// Sixteen of each are accepted; the error is then about the CPU, which is checked after them.
TEST(LockWatchRequest, RejectsCpusThatItsProgramHasNoRoomFor) {
  const LockWatchRequest full{.types = first_numbers<u32>(kLimitOfFilters),
                              .locks = first_numbers<u64>(kLimitOfFilters),
                              .cgroups = first_numbers<u64>(kLimitOfFilters),
                              .delays = std::vector<LockWatchRequest::Delay>(kLimitOfFilters)};
  for (const int cpu : {-1, 4096}) {
    const Error error = lock_watch_error(full, {.kind = TargetKind::Cpus, .cpus = {0, cpu}});
    EXPECT_EQ(error.message, fmt::format("waits on CPU {}", cpu));
    EXPECT_EQ(error.kind, ErrorKind::Unsupported);
  }
}

TEST(WorkWatchRequest, RejectsCpusThatItsProgramHasNoRoomFor) {
  for (const u32 cpu : {4096u, ~0u}) {
    const auto opened = WorkWatcher::open({.cpus = {1, cpu}});
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error().kind, ErrorKind::Unsupported);
    EXPECT_EQ(opened.error().message, fmt::format("cannot measure CPU {} with BPF", cpu));
  }
}

}  // namespace
}  // namespace peregrine
