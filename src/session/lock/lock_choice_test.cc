#include "session/lock/lock_choice.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

#include "support/temporary_folder.h"

namespace peregrine {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(LockChoice, FindsLocksByAddressAndBySymbol) {
  const TemporaryFolder folder;
  const std::string list =
      folder.write("kallsyms", "ffffffff81000000 T cgroup_mutex_lock\nffffffff83005000 D cgroup_mutex\n");
  LockUsage::Request request;
  ASSERT_TRUE(choose_locks({.locks = "0xffff800010,cgroup_mutex", .kallsyms = list}, request));
  EXPECT_THAT(request.locks, ElementsAre(0xffff800010, 0xffffffff83005000));
}

// In /proc/kallsyms, the symbols of modules are followed by "[NAME]".
TEST(LockChoice, FindsLocksOfModulesAndOnlyWholeNames) {
  const TemporaryFolder folder;
  const std::string list = folder.write("kallsyms",
                                        "ffffffffc0001000 d fs_lock_key\t[fs]\nffffffffc0002000 d my_fs_lock\t[fs]\n"
                                        "ffffffffc0003000 d fs_lock\t[fs]\n0000000000000000 d hidden_lock");
  LockUsage::Request request;
  ASSERT_TRUE(choose_locks({.locks = "fs_lock", .kallsyms = list}, request));
  EXPECT_THAT(request.locks, ElementsAre(0xffffffffc0003000));
  for (const char* unknown : {"s_lock", "lock_key", "[fs]", "hidden_lock"})
    EXPECT_EQ(choose_locks({.locks = unknown, .kallsyms = list}, request).error().message,
              fmt::format("-L: unknown lock '{}'", unknown));
}

TEST(LockChoice, RefusesLocksAndTypesThatItDoesNotKnow) {
  LockUsage::Request request;
  const auto lock = choose_locks({.locks = "no_such_mutex", .kallsyms = "/dev/null"}, request);
  ASSERT_FALSE(lock);
  EXPECT_EQ(lock.error().message, "-L: unknown lock 'no_such_mutex'");
  const auto type = choose_locks({.types = "mutex,padlock"}, request);
  ASSERT_FALSE(type);
  EXPECT_THAT(type.error().message, HasSubstr("'padlock'"));
}

TEST(LockChoice, TellsTheWatcherWhatARowIs) {
  EXPECT_EQ(watch_request({}, LockBy::Caller)->by, LockWaitsBy::Caller);
  EXPECT_EQ(watch_request({}, LockBy::Cgroup)->by, LockWaitsBy::Cgroup);
  EXPECT_EQ(watch_request({.by_owner = true}, LockBy::Task)->by, LockWaitsBy::Owner);
}

TEST(LockChoice, TakesDelaysOfOneLockEach) {
  const auto request = watch_request({.delays = "100us@0x10,1ms@0x20"}, LockBy::Caller);
  ASSERT_TRUE(request);
  ASSERT_EQ(request->delays.size(), 2u);
  EXPECT_EQ(request->delays[0].lock, 0x10u);
  EXPECT_EQ(request->delays[0].ns, 100'000u);
  EXPECT_EQ(request->delays[1].ns, 1'000'000u);
}

TEST(LockChoice, RefusesDelaysThatAreTooLongOrNameNoLock) {
  const auto message = [](std::string delays) {
    const auto request = watch_request({.delays = std::move(delays)}, LockBy::Caller);
    return request ? std::string("accepted") : request.error().message;
  };
  EXPECT_EQ(message("11ms@0x10"), "-J: delay in '11ms@0x10' exceeds 10ms");
  EXPECT_EQ(message("1ms@"), "-J: '1ms@' must name one lock");
  EXPECT_EQ(message("0x10"), "-J: invalid delay '0x10'");
}

}  // namespace
}  // namespace peregrine
