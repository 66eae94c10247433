#include "analysis/lock/lock_usage.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "support/tracepoint_recording.h"

namespace peregrine {
namespace {

using support::ReplayedRecording;
using support::TracepointRecording;
using ::testing::ElementsAre;

constexpr u32 kSpinlock = 1, kMutexLock = 32;

class LockRecording : public TracepointRecording {
 public:
  explicit LockRecording(std::string sample = "identifier,ip,tid,time,cpu,callchain,raw")
      : TracepointRecording(std::move(sample)) {
    event("lock:contention_begin", {"lock_addr", "flags"});
    event("lock:contention_end", {"lock_addr", "ret"});
    for (const char* name : {"acquire", "acquired", "contended", "release"})
      event(fmt::format("lock:lock_{}", name), {"lockdep_addr", "flags", "name[16]"});
    comm(8, "eight");
    comm(9, "nine");
  }
  void begin(u64 time, u32 tid, u64 lock, u32 flags = kMutexLock, std::vector<u64> chain = {}, u64 cgroup = 0) {
    hit("lock:contention_begin", {.time = time, .pid = tid, .tid = tid, .chain = std::move(chain), .cgroup = cgroup},
        {lock, flags});
  }
  void end(u64 time, u32 tid, u64 lock) {
    hit("lock:contention_end", {.time = time, .pid = tid, .tid = tid}, {lock, 0});
  }
  // A lockdep event of lock 0x1000. `flags`: 1 try, 2 read.
  void step(u64 time, const char* name, u64 flags = 0, u32 tid = 8) {
    hit(fmt::format("lock:lock_{}", name), {.time = time, .pid = tid, .tid = tid}, {0x1000, flags, "page_lock"});
  }
};

// The rows by key, as "name contended/acquired total least-most".
std::vector<std::string> lock_texts(const LockUsage& usage) {
  std::vector<LockRow> rows = usage.rows();
  std::ranges::sort(rows, {}, &LockRow::key);
  std::vector<std::string> texts;
  for (const LockRow& row : rows)
    texts.push_back(
        fmt::format("{} {}/{} {} {}-{}", row.name, row.contended, row.acquired, row.total, row.least, row.most));
  return texts;
}

template <class Look>
void locks_of(const TracepointRecording& recording, const LockUsage::Request& request, const Look& look) {
  ReplayedRecording replayed(recording);
  LockUsage usage(replayed.reader(), request);
  replayed.run(usage);
  look(usage);
}

TEST(LockUsage, SumsTheWaitsOfATask) {
  LockRecording recording;
  recording.begin(100, 8, 0x1000);
  recording.begin(110, 9, 0x1000);
  recording.end(130, 8, 0x1000);
  recording.end(190, 9, 0x1000);
  recording.begin(200, 8, 0x2000);
  recording.end(210, 8, 0x2000);
  locks_of(recording, {.by = LockBy::Task}, [](const LockUsage& usage) {
    EXPECT_THAT(lock_texts(usage), ElementsAre("eight 2/2 40 10-30", "nine 1/1 80 80-80"));
  });
}

TEST(LockUsage, AMutexThatSpinsAndThenSleepsWaitsOnce) {
  LockRecording recording;
  recording.begin(100, 8, 0x1000, kMutexLock | kSpinlock);
  recording.begin(120, 8, 0x1000, kMutexLock);
  recording.end(150, 8, 0x1000);
  locks_of(recording, {.by = LockBy::Lock}, [](const LockUsage& usage) {
    const auto rows = usage.rows();
    ASSERT_EQ(rows.size(), 1u);
    EXPECT_EQ(rows[0].contended, 1u);
    EXPECT_EQ(rows[0].total, 50u);
    EXPECT_EQ(rows[0].key, 0x1000u);
    EXPECT_EQ(lock_type(rows[0]), "mutex");
  });
}

TEST(LockUsage, IgnoresTheEndOfAWaitThatBeganUnseen) {
  LockRecording recording;
  recording.end(100, 8, 0x1000);
  locks_of(recording, {}, [](const LockUsage& usage) { EXPECT_TRUE(usage.rows().empty()); });
}

TEST(LockUsage, AWaitThatEndsBeforeItBeginsTakesNoTime) {
  LockRecording recording;
  recording.begin(100, 8, 0x1000);
  recording.end(100, 8, 0x1000);
  locks_of(recording, {.by = LockBy::Task},
           [](const LockUsage& usage) { EXPECT_THAT(lock_texts(usage), ElementsAre("eight 1/1 0 0-0")); });
}

TEST(LockUsage, KeepsOnlyTheChosenTypesAndLocks) {
  LockRecording recording;
  for (const u32 flags : {kSpinlock, kMutexLock})
    for (const u64 lock : {0x1000, 0x2000}) {
      recording.begin(100 * lock + flags, 8, lock + flags * 0x10000, flags);
      recording.end(100 * lock + flags + 5, 8, lock + flags * 0x10000);
    }
  locks_of(recording, {.types = lock_flags("spinlock")},
           [](const LockUsage& usage) { EXPECT_EQ(usage.rows().size(), 2u); });
  locks_of(recording, {.locks = {0x11000, 0x202000}},
           [](const LockUsage& usage) { EXPECT_EQ(usage.rows().size(), 2u); });
  locks_of(recording, {.types = lock_flags("spinlock"), .locks = {0x11000}},
           [](const LockUsage& usage) { EXPECT_EQ(usage.rows().size(), 1u); });
}

TEST(LockUsage, CallersWithDifferentStacksAreDifferentRows) {
  LockRecording recording;
  constexpr u64 kContext = ~u64{0} - 127;  // PERF_CONTEXT_KERNEL
  u64 time = 100;
  for (const u64 caller : {0xffffffff81000100, 0xffffffff81000200, 0xffffffff81000100}) {
    recording.begin(time += 10, 8, 0x1000, kMutexLock, {kContext, 0xffffffff81000000, caller});
    recording.end(time += 10, 8, 0x1000);
  }
  locks_of(recording, {.by = LockBy::Caller, .skip = 1, .stacks = true}, [](const LockUsage& usage) {
    auto rows = usage.rows();
    ASSERT_EQ(rows.size(), 2u);
    EXPECT_EQ(rows[0].contended + rows[1].contended, 3u);
    EXPECT_EQ(rows[0].name, "Unknown") << "no symbols";
    EXPECT_EQ(rows[0].stack.size(), 2u);
  });
}

TEST(LockUsage, NamesControlGroupsByTheirRecords) {
  LockRecording recording("identifier,ip,tid,time,cpu,callchain,raw,cgroup");
  recording.record("cgroup", {{"cgroup", 70}, {"path", "/user.slice"}, {"time", 1}});
  for (const u64 group : {70, 71}) {
    recording.begin(group * 10, 8, 0x1000, kMutexLock, {}, group);
    recording.end(group * 10 + 5, 8, 0x1000);
  }
  locks_of(recording, {.by = LockBy::Cgroup}, [](const LockUsage& usage) {
    EXPECT_TRUE(usage.outcome());
    EXPECT_THAT(lock_texts(usage), ElementsAre("/user.slice 1/1 5 5-5", "unknown 1/1 5 5-5"));
  });
}

TEST(LockUsage, RefusesControlGroupsThatWereNotRecorded) {
  LockRecording recording;
  recording.begin(100, 8, 0x1000);
  locks_of(recording, {.by = LockBy::Cgroup}, [](const LockUsage& usage) {
    ASSERT_FALSE(usage.outcome());
    EXPECT_EQ(usage.outcome().error().kind, ErrorKind::Unsupported);
  });
}

TEST(LockUsage, FollowsALockThroughTheEventsOfLockdep) {
  LockRecording recording;
  recording.step(100, "acquire");
  recording.step(110, "contended");
  recording.step(150, "acquired");
  recording.step(190, "release");
  recording.step(200, "acquire");
  recording.step(201, "acquired");
  recording.step(202, "release");
  locks_of(recording, {.by = LockBy::Lock}, [](const LockUsage& usage) {
    EXPECT_THAT(lock_texts(usage), ElementsAre("page_lock 1/2 40 40-40"));
    EXPECT_THAT(usage.broken(), ElementsAre(0u, 0u, 0u, 0u));
  });
}

TEST(LockUsage, CountsReadersUntilTheLastReleases) {
  LockRecording recording;
  recording.step(100, "acquire", 2);
  recording.step(101, "acquire", 2);
  recording.step(102, "release", 2);
  recording.step(103, "release", 2);
  recording.step(104, "release", 2);  // its start was not recorded: ignored
  locks_of(recording, {.by = LockBy::Lock}, [](const LockUsage& usage) {
    EXPECT_THAT(lock_texts(usage), ElementsAre("page_lock 0/2 0 0-0"));
    EXPECT_THAT(usage.broken(), ElementsAre(0u, 0u, 0u, 0u));
  });
}

TEST(LockUsage, CountsALockAsBrokenOnceAndStartsAfresh) {
  LockRecording recording;
  recording.step(100, "acquire");
  recording.step(110, "release");  // the acquired event was lost
  recording.step(120, "acquire");
  recording.step(130, "acquire");  // acquired and release events were lost
  recording.step(140, "acquire");
  recording.step(150, "acquired");
  recording.step(160, "release");
  locks_of(recording, {.by = LockBy::Lock}, [](const LockUsage& usage) {
    EXPECT_THAT(usage.broken(), ElementsAre(0u, 0u, 0u, 1u)) << "acquire, acquired, contended, release";
    EXPECT_THAT(lock_texts(usage), ElementsAre("page_lock 0/1 0 0-0"));
    EXPECT_TRUE(usage.rows().at(0).broken);
  });
}

TEST(LockUsage, IgnoresLocksThatWereTakenBeforeTheRecording) {
  LockRecording recording;
  recording.step(100, "acquired");
  recording.step(110, "contended");
  recording.step(120, "release");
  locks_of(recording, {.by = LockBy::Lock}, [](const LockUsage& usage) {
    EXPECT_THAT(usage.broken(), ElementsAre(0u, 0u, 0u, 0u));
    EXPECT_THAT(lock_texts(usage), ElementsAre("page_lock 0/0 0 0-0"));
  });
}

TEST(LockType, FlagsAndNamesAgree) {
  EXPECT_EQ(lock_type(0u), "semaphore");
  EXPECT_EQ(lock_type(2u | 16u), "pcpu-sem:R");
  EXPECT_EQ(lock_type(0x80000000u), "unknown");
  EXPECT_THAT(lock_flags("mutex"), ElementsAre(kMutexLock, kMutexLock | kSpinlock));
  EXPECT_TRUE(lock_flags("").empty());
  for (u32 flags = 0; flags < 64; ++flags)
    if (lock_type(flags) != "unknown") EXPECT_THAT(lock_flags(lock_type(flags)), ::testing::Contains(flags));
}

}  // namespace
}  // namespace peregrine
