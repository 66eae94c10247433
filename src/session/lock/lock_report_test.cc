// The locks of a recording: from lockdep and contention events to the tables and lists of `lock`.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "analysis/lock/lock_usage.h"
#include "base/result.h"
#include "base/types.h"
#include "machine/dso/dso.h"
#include "machine/machine.h"
#include "output/sink.h"
#include "output/text/kernel/lock_text.h"
#include "session/lock/lock_tables.h"
#include "session/recording/opened_recording.h"
#include "session/recording/traced_recording.h"
#include "support/built_recording.h"
#include "support/kept_messages.h"
#include "support/perf_data_builder.h"
#include "support/temporary_folder.h"
#include "support/tracepoint_recording.h"

namespace peregrine {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// A lock with a name, acquired and released by a task.
class LockdepRecording : public support::TracepointRecording {
 public:
  LockdepRecording() : TracepointRecording("identifier,ip,tid,time,cpu,raw") {
    for (const char* step : {"acquire", "acquired", "contended", "release"})
      event(fmt::format("lock:lock_{}", step), {"lockdep_addr", "flags", "name[16]"});
    comm(8, "eight");
    comm(9, "ni\x1bne");
  }
  LockdepRecording& step(const char* name, u64 lock, const char* lock_name, u32 tid = 8) {
    hit(fmt::format("lock:lock_{}", name), {.time = time_ += 1000, .pid = tid, .tid = tid}, {lock, 0, lock_name});
    return *this;
  }
  LockdepRecording& hold(u64 lock, const char* lock_name, unsigned times, u32 tid = 8) {
    for (unsigned i = 0; i < times; ++i)
      step("acquire", lock, lock_name, tid)
          .step("acquired", lock, lock_name, tid)
          .step("release", lock, lock_name, tid);
    return *this;
  }
  // A wait that ends after 3 µs.
  LockdepRecording& wait(u64 lock, const char* lock_name, u32 tid = 8) {
    step("acquire", lock, lock_name, tid).step("contended", lock, lock_name, tid);
    time_ += 2000;
    return step("acquired", lock, lock_name, tid).step("release", lock, lock_name, tid);
  }

 private:
  u64 time_ = 1'000'000;
};

template <class Recording>
Result<std::unique_ptr<LockUsage>> locks_in(const Recording& recording, const LockUsage::Request& request = {}) {
  SymbolPlaces places;
  places.load = false;
  TracedRecording opened;
  opened.reader = std::make_unique<OpenedRecording>(support::open_built(recording));
  opened.machine = std::make_unique<Machine>(std::move(places));
  testing::KeptMessages messages;
  return follow_locks(opened, request, messages);
}

LockTable count_table() {
  using enum LockColumn;
  return {.columns = {Acquired, Contended, Total}};
}

std::string lock_report(const LockdepRecording& recording, LockColumn key, LockTable table = count_table()) {
  const auto usage = locks_in(recording);
  if (!usage) return usage.error().message;
  Sink out;
  EXPECT_TRUE(write_lock_report(**usage, table, key, {}, out));
  return out.take();
}

TEST(LockReport, HasALineForEachLockThatWasAcquired) {
  LockdepRecording recording;
  recording.hold(0x1000, "page_lock", 1).hold(0x2000, "inode_lock", 3).wait(0x1000, "page_lock");
  recording.step("acquire", 0x3000, "wanted_lock");
  const std::string report = lock_report(recording, LockColumn::Acquired);
  EXPECT_THAT(report, ::testing::ContainsRegex("inode_lock +3 +0 +0 ns"));
  EXPECT_THAT(report, ::testing::ContainsRegex("page_lock +2 +1 +3\\.00 us"));
  EXPECT_LT(report.find("inode_lock"), report.find("page_lock")) << "the most acquired is first";
  EXPECT_THAT(report, Not(HasSubstr("wanted_lock")));
}

TEST(LockReport, IsSortedByTheKeyAndThenByName) {
  LockdepRecording recording;
  recording.hold(0x1000, "b_lock", 1).hold(0x2000, "a_lock", 1).wait(0x3000, "z_lock");
  const std::string by_wait = lock_report(recording, LockColumn::Total);
  EXPECT_LT(by_wait.find("z_lock"), by_wait.find("a_lock"));
  EXPECT_LT(by_wait.find("a_lock"), by_wait.find("b_lock"));
}

TEST(LockReport, SaysWhichSequencesWereBroken) {
  LockdepRecording recording;
  recording.hold(0x1000, "page_lock", 1);
  // Released twice without an acquisition in between.
  recording.step("acquire", 0x2000, "odd_lock").step("acquired", 0x2000, "odd_lock");
  recording.step("acquired", 0x2000, "odd_lock");
  LockTable plain = count_table();
  EXPECT_THAT(lock_report(recording, LockColumn::Acquired, plain), HasSubstr("bad"));
  plain.titles = false;
  EXPECT_THAT(lock_report(recording, LockColumn::Acquired, plain), Not(HasSubstr("bad")));
}

TEST(LockReport, NeedsEventsOfLocks) {
  support::PerfDataBuilder data;
  data.attr({{"sample", "ip,tid,time"}});
  const auto usage = locks_in(data);
  ASSERT_FALSE(usage);
  EXPECT_EQ(usage.error().kind, ErrorKind::Unsupported);
  EXPECT_EQ(usage.error().message, "this recording has no lock events");
  EXPECT_EQ(usage.error().hint, "record with `perf lock record`");
}

TEST(LockLists, NameLocksByAddress) {
  LockdepRecording recording;
  recording.hold(0x1000, "b_lock", 1).hold(0x2000, "a\x1block", 2);
  const auto usage = locks_in(recording);
  ASSERT_TRUE(usage);
  Sink out;
  ASSERT_TRUE(write_lock_list(**usage, LockList::Locks, {}, out));
  const std::string list = out.take();
  EXPECT_THAT(list, ::testing::StartsWith("Address of instance: name of class\n 0x2000: a"));
  EXPECT_THAT(list, HasSubstr("\n 0x1000: b_lock\n"));
  EXPECT_THAT(list, Not(HasSubstr("\x1b"))) << "a terminal would obey it";
}

TEST(LockLists, NameTheTasks) {
  LockdepRecording recording;
  recording.hold(0x1000, "lock", 1, 9).hold(0x1000, "lock", 1, 8);
  const auto usage = locks_in(recording);
  ASSERT_TRUE(usage);
  Sink out;
  const TemporaryFolder folder;
  ASSERT_TRUE(write_lock_list(**usage, LockList::Tasks, {.path = folder.path("tasks")}, out));
  EXPECT_EQ(out.take(), "") << "it is in the file";
  const std::string list = folder.text("tasks");
  EXPECT_THAT(list, ::testing::StartsWith(" Thread ID: comm\n         8: eight\n         9: ni"));
  EXPECT_THAT(list, Not(HasSubstr("\x1b")));
}

LockRow contended_row(std::string name, u64 waits, u64 total) {
  return {.name = std::move(name), .contended = waits, .waits = waits, .total = total, .most = total, .least = 1};
}

TEST(ContentionTable, HasATableOfUserSpaceBelow) {
  using enum LockColumn;
  Sink out;
  const LockTable table{.columns = {Contended, Total}, .by = LockBy::Caller};
  ASSERT_TRUE(write_contention({.kernel = {contended_row("in_kernel", 2, 3'500'000)},
                                .user = {{contended_row("in_user", 1, 20), contended_row("in_user_longer", 1, 21)}}},
                               table, Total, {}, out));
  const std::string text = out.take();
  EXPECT_THAT(text, ::testing::ContainsRegex("2 +3\\.50 ms .*in_kernel\n"));
  EXPECT_LT(text.find("in_kernel"), text.find("\n user-space locks (futexes)\n"));
  EXPECT_LT(text.find("\n user-space locks (futexes)\n"), text.find("in_user_longer"));
  EXPECT_LT(text.find("in_user_longer"), text.rfind("in_user"));
}

// Spreadsheets treat a cell that begins with '=' as a formula, and names come from untrusted files.
TEST(ContentionTable, MakesCellsSafeForSpreadsheetsOnRequest) {
  using enum LockColumn;
  const auto written = [](bool safe) {
    Sink out;
    const LockTable table{.columns = {Total}, .by = LockBy::Task};
    EXPECT_TRUE(write_contention({.kernel = {contended_row("=SUM(A1)", 1, 10)}}, table, Total,
                                 {.path = {}, .separator = ",", .csv_safe = safe}, out));
    return out.take();
  };
  EXPECT_THAT(written(false), ::testing::ContainsRegex(", ?=SUM"));
  EXPECT_THAT(written(true), Not(::testing::ContainsRegex(", ?=SUM")));
  EXPECT_THAT(written(true), HasSubstr("=SUM(A1)"));
}

}  // namespace
}  // namespace peregrine
