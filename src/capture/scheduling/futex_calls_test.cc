#include "capture/scheduling/futex_calls.h"

#include <gtest/gtest.h>

namespace peregrine {
namespace {

// Constants of <linux/futex.h>.
constexpr u32 kFutexWait = 0, kFutexLockPi = 6, kFutexLockPi2 = 13, kFutexWaitBitset = 9;
constexpr u32 kWaitersBit = 0x80000000, kOwnerDiedBit = 0x40000000;

// A thread blocks on a glibc mutex held by `owner`.
futex_wait call_of(u32 tid, u64 time, u64 address, u32 owner = 77) {
  return {.time = time, .address = address, .tid = tid, .word = 2, .owner = owner, .operation = kFutexWait};
}

TEST(FutexCalls, FindsTheOwnerOfAMutex) {
  FutexCalls calls;
  calls.keep(call_of(10, 1000, 0x5000, 42));
  const auto owner = calls.find(10, 1005, 0x5000);  // the call itself is reported after the program ran
  ASSERT_TRUE(owner);
  EXPECT_EQ(owner->in_mutex, 42u);
  EXPECT_EQ(owner->in_word, 0u) << "a plain wait has no tid in its word";
}

TEST(FutexCalls, FindsNothingForOtherThreadsTimesAndAddresses) {
  struct Case {
    const char* what;
    u32 tid;
    u64 time, address;
  };
  for (const Case& each : {Case{"another thread", 11, 1005, 0x5000}, Case{"before the program ran", 10, 999, 0x5000},
                           Case{"another address", 10, 1005, 0x5004}}) {
    FutexCalls calls;
    calls.keep(call_of(10, 1000, 0x5000));
    EXPECT_FALSE(calls.find(each.tid, each.time, each.address)) << each.what;
  }
  EXPECT_FALSE(FutexCalls().find(10, 1000, 0x5000)) << "no call at all";
}

// The kernel keeps the owner's tid in the low 30 bits of the word; the two bits above are flags.
TEST(FutexCalls, ReadsTheWordOnlyWhereTheKernelKeepsAnOwnerInIt) {
  struct Case {
    u32 operation, in_word;
  };
  for (const Case& each :
       {Case{kFutexWait, 0}, Case{kFutexWaitBitset, 0}, Case{kFutexLockPi, 1234}, Case{kFutexLockPi2, 1234}}) {
    SCOPED_TRACE(each.operation);
    FutexCalls calls;
    futex_wait wait = call_of(10, 1000, 0x5000, 1235 | kWaitersBit);
    wait.operation = each.operation;
    wait.word = 1234 | kWaitersBit | kOwnerDiedBit;
    calls.keep(wait);
    const auto owner = calls.find(10, 1000, 0x5000);
    ASSERT_TRUE(owner);
    EXPECT_EQ(owner->in_word, each.in_word);
    EXPECT_EQ(owner->in_mutex, 1235u) << "without the flags";
  }
}

TEST(FutexCalls, TakesTheLastCallUpToATimeAndForgetsThoseBefore) {
  FutexCalls calls;
  for (const u64 time : {100, 200, 300}) calls.keep(call_of(10, time, 0x5000, static_cast<u32>(time)));
  const auto second = calls.find(10, 250, 0x5000);
  ASSERT_TRUE(second);
  EXPECT_EQ(second->in_mutex, 200u);
  EXPECT_FALSE(calls.find(10, 250, 0x5000)) << "each call is found once";
  const auto third = calls.find(10, ~u64{0}, 0x5000);
  ASSERT_TRUE(third);
  EXPECT_EQ(third->in_mutex, 300u);
}

TEST(FutexCalls, KeepsThreadsApart) {
  FutexCalls calls;
  calls.keep(call_of(10, 100, 0x5000, 1));
  calls.keep(call_of(11, 100, 0x5000, 2));
  EXPECT_EQ(calls.find(11, 100, 0x5000)->in_mutex, 2u);
  EXPECT_EQ(calls.find(10, 100, 0x5000)->in_mutex, 1u) << "finding one thread's call leaves the others'";
}

TEST(FutexCalls, ForgetsCallsOlderThanTheNewestOfAllThreadsByTheKeptTime) {
  constexpr u64 kNewest = 10 * FutexCalls::kKept;
  FutexCalls calls;
  calls.forget_old();  // without an owner
  calls.keep(call_of(10, kNewest - FutexCalls::kKept - 1, 0x5000));
  calls.keep(call_of(11, kNewest - FutexCalls::kKept, 0x5000));
  calls.keep(call_of(12, kNewest, 0x5000));
  calls.forget_old();
  EXPECT_FALSE(calls.find(10, kNewest, 0x5000));
  EXPECT_TRUE(calls.find(11, kNewest, 0x5000)) << "just young enough";
  EXPECT_TRUE(calls.find(12, kNewest, 0x5000));
  calls.forget_old();  // again without an owner
}

TEST(FutexCalls, DropsTheOldestUnclaimedCallsOfAThread) {
  FutexCalls calls;
  for (u32 i = 0; i <= FutexCalls::kMostWaiting; ++i) calls.keep(call_of(10, 100 + i, 0x5000, i));
  EXPECT_FALSE(calls.find(10, 100, 0x5000)) << "the first call had to go";
  const auto second = calls.find(10, 101, 0x5000);
  ASSERT_TRUE(second);
  EXPECT_EQ(second->in_mutex, 1u);
}

}  // namespace
}  // namespace peregrine
