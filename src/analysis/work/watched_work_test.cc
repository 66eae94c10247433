#include "analysis/work/watched_work.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "base/types.h"
#include "machine/dso/dso.h"

namespace peregrine {

namespace {

// A kernel without symbols: functions are named by address.
WorkSummary summary_of(std::vector<WatchedWork> work, std::vector<WatchedWork> raises = {},
                       std::string_view name = {}) {
  Machine machine{SymbolPlaces()};
  return work_summary(work, raises, name, machine);
}

const WatchedWork kDisk{.kind = 0,
                        .cpu = 1,
                        .id = 9,
                        .name = "disk",
                        .count = 2,
                        .total = 30,
                        .most = 20,
                        .most_from = 100,
                        .most_until = 120,
                        .events = 4,
                        .first = 50,
                        .last = 120};
const WatchedWork kTimer{.kind = 1,
                         .cpu = 0,
                         .id = 1,
                         .name = {},
                         .count = 1,
                         .total = 5,
                         .most = 5,
                         .most_from = 40,
                         .most_until = 45,
                         .events = 3,
                         .first = 30,
                         .last = 45,
                         .missed_exits = 1};
const WatchedWork kItem{.kind = 2,
                        .cpu = 0,
                        .id = 0xffff8880'00001000,
                        .function = 0xffffffff'81000000,
                        .name = {},
                        .events = 1,
                        .first = 500,
                        .last = 500,
                        .missed_entries = 1};

TEST(WatchedWork, NamesWorkAsRecordingsDo) {
  WatchedWork item = kItem;
  item.count = 1;
  const WorkSummary summary = summary_of({kDisk, kTimer, item});
  ASSERT_EQ(summary.rows.size(), 3u);
  EXPECT_EQ(summary.rows[0].name, "disk");
  EXPECT_EQ(summary.rows[1].name, "TIMER");
  EXPECT_EQ(summary.rows[2].name, "0xffffffff81000000");
  EXPECT_EQ(summary.rows[0].average(), 15u);
}

TEST(WatchedWork, NamesUnknownVectorsByNumber) {
  WatchedWork odd = kTimer;
  odd.id = 77;
  EXPECT_EQ(summary_of({odd}).rows[0].name, "77");
}

TEST(WatchedWork, AddsUpEventsAndWhatWasMissed) {
  const WorkSummary summary = summary_of({kDisk, kTimer, kItem}, {kTimer, kItem});
  EXPECT_EQ(summary.rows.size(), 2u);  // the item never finished
  EXPECT_EQ(summary.events, 8u);
  EXPECT_EQ(summary.span, 470u);
  EXPECT_EQ(summary.unpaired, (std::array<u64, 3>{2, 1, 1}));
}

TEST(WatchedWork, KeepsOnlyTheChosenName) {
  const WorkSummary summary = summary_of({kDisk, kTimer, kItem}, {kTimer, kItem}, "TIMER");
  ASSERT_EQ(summary.rows.size(), 1u);
  EXPECT_EQ(summary.rows[0].name, "TIMER");
  EXPECT_EQ(summary.events, 3u);
  EXPECT_EQ(summary.span, 15u);
  EXPECT_EQ(summary.unpaired, (std::array<u64, 3>{1, 0, 1}));
}

TEST(WatchedWork, HasNoSpanWithoutEvents) { EXPECT_EQ(summary_of({}).span, 0u); }

TEST(WatchedWork, UsageTableFiltersTasksButNotCpus) {
  const std::vector<WatchedCpu> cpus{{.cpu = 0, .total = 100, .idle = 40, .irq = 5, .softirq = 5},
                                     {.cpu = 2, .total = 50, .idle = 50}};
  const std::vector<WatchedUsage> tasks{{.tid = 0, .cpu = 0, .comm = "swapper/0", .runtime = 40},
                                        {.tid = 7, .cpu = 0, .comm = "worker", .runtime = 50},
                                        {.tid = 8, .cpu = 0, .comm = "idler", .runtime = 0}};
  const CpuUsageTable all = usage_table(cpus, tasks, {});
  EXPECT_EQ(all.tasks.size(), 2u);
  EXPECT_EQ(all.all().total, 150u);
  EXPECT_EQ(all.all().busy(), 60u);
  const CpuUsageTable one = usage_table(cpus, tasks, "worker");
  ASSERT_EQ(one.tasks.size(), 1u);
  EXPECT_EQ(one.tasks[0].tid, 7u);
  EXPECT_EQ(one.cpus.size(), 2u);
}

}  // namespace

}  // namespace peregrine
