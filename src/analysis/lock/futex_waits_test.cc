#include "analysis/lock/futex_waits.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "machine/dso/dso.h"
#include "machine/machine.h"

namespace peregrine {
namespace {

TEST(UserLockType, FollowsFromTheLibraryFunction) {
  EXPECT_EQ(user_lock_type("___pthread_mutex_lock"), "mutex");
  EXPECT_EQ(user_lock_type("__pthread_mutex_cond_lock"), "mutex");
  EXPECT_EQ(user_lock_type("pthread_cond_wait@@GLIBC_2.3.2"), "condvar");
  EXPECT_EQ(user_lock_type("std::condition_variable::wait(std::unique_lock<std::mutex>&)"), "condvar");
  EXPECT_EQ(user_lock_type("pthread_rwlock_rdlock"), "rwlock:R");
  EXPECT_EQ(user_lock_type("pthread_rwlock_wrlock"), "rwlock:W");
  EXPECT_EQ(user_lock_type("sem_clockwait"), "semaphore");
  EXPECT_EQ(user_lock_type("pthread_barrier_wait"), "barrier");
  EXPECT_EQ(user_lock_type("__pthread_clockjoin_ex"), "join");
  EXPECT_EQ(user_lock_type("syscall"), "");
  EXPECT_EQ(user_lock_type("<std::sys::sync::rwlock::futex::RwLock>::read_contended"), "rwlock:R");
  EXPECT_EQ(user_lock_type("<std::thread::thread::Thread>::park_timeout"), "park");
}

TEST(UserLockCode, IsKnownWhereverItIsLinked) {
  EXPECT_TRUE(is_user_lock_code("pthread_mutex_lock"));
  EXPECT_TRUE(is_user_lock_code("__lll_lock_wait_private"));
  EXPECT_TRUE(is_user_lock_code("std::mutex::lock()"));
  EXPECT_TRUE(is_user_lock_code("<std::sys::sync::mutex::futex::Mutex>::lock_contended"));
  EXPECT_FALSE(is_user_lock_code("lock_everything"));
  EXPECT_FALSE(is_user_lock_code("my::std::thing"));
  EXPECT_FALSE(is_user_lock_code(""));
}

TEST(FutexWaits, AddsUpTheWaitsOfATaskFromCallToReturn) {
  const Machine machine{SymbolPlaces()};
  Resolver resolver(machine);
  FutexWaits waits({.by = LockBy::Task});
  const auto sleep = [&](u32 tid, u64 from, u64 until) {
    waits.begin({.tid = tid, .time = from, .address = 0x1000, .pid = 7}, resolver.context(7, tid, 1), {}, resolver);
    waits.end(tid, until);
  };
  sleep(8, 100, 150);
  sleep(8, 200, 210);
  sleep(9, 100, 101);
  waits.end(8, 300);  // from a different system call
  waits.begin({.tid = 8, .time = 400, .address = 0x1000, .pid = 7}, resolver.context(7, 8, 1), {}, resolver);
  auto rows = waits.rows();
  ASSERT_EQ(rows.size(), 2u);
  const LockRow& row = rows[0].key == 8 ? rows[0] : rows[1];
  EXPECT_EQ(row.contended, 2u);
  EXPECT_EQ(row.total, 60u);
  EXPECT_EQ(row.most, 50u);
  EXPECT_EQ(row.least, 10u);
  EXPECT_EQ(row.average(), 30u);
  EXPECT_EQ(lock_type(row), "futex");
}

// A library function on the stack identifies a mutex. This stack has none, so only the value of a priority-inheritance
// futex reveals its owner.
TEST(FutexWaits, AddsUpWaitsByOwner) {
  const Machine machine{SymbolPlaces()};
  Resolver resolver(machine);
  FutexWaits waits({.by = LockBy::Task, .by_owner = true});
  const auto sleep = [&](u32 tid, std::optional<FutexOwner> owner) {
    waits.begin({.tid = tid, .time = 100, .address = 0x1000, .pid = 7, .owner = owner}, resolver.context(7, tid, 1), {},
                resolver, [](u32 thread) { return fmt::format("thread {}", thread); });
    waits.end(tid, 110);
  };
  sleep(8, FutexOwner{.in_word = 20, .in_mutex = 5});
  sleep(9, FutexOwner{.in_word = 20, .in_mutex = 5});
  sleep(8, FutexOwner{.in_word = 0, .in_mutex = 5});
  sleep(8, std::nullopt);
  auto rows = waits.rows();
  ASSERT_EQ(rows.size(), 2u);
  std::ranges::sort(rows, {}, &LockRow::key);
  EXPECT_EQ(rows[0].key, 20u);
  EXPECT_EQ(rows[0].name, "thread 20");
  EXPECT_EQ(rows[0].contended, 2u);
  EXPECT_EQ(rows[1].key, ~u32{0});
  EXPECT_EQ(rows[1].name, "Unknown");
  EXPECT_EQ(rows[1].total, 20u);
}

TEST(FutexWaits, TellsEqualAddressesOfTwoProcessesApart) {
  const Machine machine{SymbolPlaces()};
  Resolver resolver(machine);
  FutexWaits waits({.by = LockBy::Lock});
  for (const u32 pid : {7u, 8u, 7u}) {
    waits.begin({.tid = pid, .time = 1, .address = 0x1000, .pid = pid}, resolver.context(pid, pid, 1), {}, resolver);
    waits.end(pid, 2);
  }
  const auto rows = waits.rows();
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].key, 0x1000u);
  EXPECT_EQ(rows[0].contended + rows[1].contended, 3u);
}

}  // namespace
}  // namespace peregrine
