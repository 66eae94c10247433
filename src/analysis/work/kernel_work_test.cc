#include "analysis/work/kernel_work.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

#include "support/tracepoint_recording.h"

namespace peregrine {
namespace {

using support::ReplayedRecording;
using support::TracepointRecording;
using ::testing::ElementsAre;

class WorkRecording : public TracepointRecording {
 public:
  WorkRecording() {
    event("irq:irq_handler_entry", {"irq", "name[16]"});
    event("irq:irq_handler_exit", {"irq", "ret"});
    for (const char* name : {"raise", "entry", "exit"})
      event(fmt::format("irq:softirq_{}", name), {"vec"},
            R"("%s", __print_symbolic(REC->vec, { 1, "TIMER" }, { 3, "NET_RX" }))");
    event("workqueue:workqueue_activate_work", {"work", "function"});
    event("workqueue:workqueue_execute_start", {"work", "function"});
    event("workqueue:workqueue_execute_end", {"work", "function"});
  }
  void irq(u64 from, u64 until, u64 number, u32 cpu = 0) {
    hit("irq:irq_handler_entry", {.time = from, .cpu = cpu}, {number, "disk"});
    hit("irq:irq_handler_exit", {.time = until, .cpu = cpu}, {number, 1});
  }
  void softirq(u64 time, const char* step, u64 vector = 1, u32 cpu = 0) {
    hit(fmt::format("irq:softirq_{}", step), {.time = time, .cpu = cpu}, {vector});
  }
  void item(u64 time, const char* step, u64 item, u32 cpu = 0) {
    hit(fmt::format("workqueue:workqueue_{}", step), {.time = time, .cpu = cpu}, {item, 0xffffffff81000000});
  }
};

WorkSummary work_of(const TracepointRecording& recording, KernelWork::Request request = {}) {
  ReplayedRecording replayed(recording);
  KernelWork work(replayed.reader(), std::move(request));
  replayed.run(work);
  return work.summary();
}

TEST(KernelWork, SumsTheRuntimesOfAHandler) {
  WorkRecording recording;
  recording.irq(100, 110, 9);
  recording.irq(200, 240, 9);
  recording.irq(300, 301, 9, 1);
  const WorkSummary summary = work_of(recording);
  ASSERT_EQ(summary.rows.size(), 2u) << "one row for each CPU";
  const WorkRow& row = summary.rows[0];
  EXPECT_EQ(row.name, "disk");
  EXPECT_EQ(row.id, 9u);
  EXPECT_EQ(row.count, 2u);
  EXPECT_EQ(row.total, 50u);
  EXPECT_EQ(row.average(), 25u);
  EXPECT_EQ(row.most_from, 200u);
  EXPECT_EQ(row.most_until, 240u);
  EXPECT_EQ(summary.events, 6u);
  EXPECT_EQ(summary.span, 201u);
}

TEST(KernelWork, NamesSoftirqsByThePrintFormat) {
  WorkRecording recording;
  for (const u64 vector : {1, 3, 5}) {
    recording.softirq(10 * vector, "entry", vector);
    recording.softirq(10 * vector + 1, "exit", vector);
  }
  std::vector<std::string> names;
  for (const WorkRow& row : work_of(recording).rows) names.push_back(row.name);
  EXPECT_THAT(names, ElementsAre("TIMER", "NET_RX", "0x5"));
}

TEST(KernelWork, ASoftirqThatIsRaisedAgainHasWaitedSinceTheFirstRaise) {
  WorkRecording recording;
  recording.softirq(100, "raise");
  recording.softirq(130, "raise");
  recording.softirq(150, "entry");
  recording.softirq(155, "exit");
  const WorkSummary summary = work_of(recording, {.sum = KernelWork::Sum::Delays});
  ASSERT_EQ(summary.rows.size(), 1u);
  EXPECT_EQ(summary.rows[0].total, 50u);
  EXPECT_THAT(summary.unpaired, ElementsAre(0u, 0u, 0u));
}

TEST(KernelWork, AnItemThatIsQueuedAgainHasWaitedSinceTheLastTime) {
  WorkRecording recording;
  recording.item(100, "activate_work", 0x50);
  recording.item(130, "activate_work", 0x50);  // the first raise was cancelled
  recording.item(150, "execute_start", 0x50);
  const WorkSummary summary = work_of(recording, {.sum = KernelWork::Sum::Delays});
  ASSERT_EQ(summary.rows.size(), 1u);
  EXPECT_EQ(summary.rows[0].total, 20u);
}

TEST(KernelWork, AnItemCountsOnTheCpuWhereItStarted) {
  WorkRecording recording;
  recording.item(100, "execute_start", 0x50, 1);
  recording.item(160, "execute_end", 0x50, 3);
  const WorkSummary summary = work_of(recording);
  ASSERT_EQ(summary.rows.size(), 1u);
  EXPECT_EQ(summary.rows[0].cpu, 1u);
  EXPECT_EQ(summary.rows[0].total, 60u);
  EXPECT_EQ(summary.rows[0].name, "0xffffffff81000000") << "a kernel without symbols";
}

TEST(KernelWork, SoftirqsArePairedByCpu) {
  WorkRecording recording;
  recording.softirq(100, "entry", 1, 0);
  recording.softirq(110, "exit", 1, 1);
  const WorkSummary summary = work_of(recording);
  EXPECT_TRUE(summary.rows.empty());
  EXPECT_EQ(summary.unpaired[static_cast<std::size_t>(WorkStep::Exit)], 1u);
}

TEST(KernelWork, CountsWhatHasNoCounterpart) {
  WorkRecording recording;
  recording.softirq(100, "raise", 3);  // raised, but never runs
  recording.softirq(110, "entry", 1);  // its raise was not recorded
  recording.softirq(120, "exit", 1);
  EXPECT_THAT(work_of(recording, {.sum = KernelWork::Sum::Delays}).unpaired, ElementsAre(1u, 1u, 0u));
  recording.softirq(130, "exit", 1);   // its entry was not recorded
  recording.softirq(140, "entry", 1);  // its exit was not recorded
  recording.softirq(150, "entry", 1);
  EXPECT_THAT(work_of(recording).unpaired, ElementsAre(0u, 1u, 1u));
}

TEST(KernelWork, DoesNotPairAcrossALoss) {
  WorkRecording recording;
  recording.softirq(100, "entry");
  recording.record("lost", {{"lost_id", 300}, {"lost", 9}, {"time", 150}});
  recording.softirq(200, "exit");
  const WorkSummary summary = work_of(recording);
  EXPECT_TRUE(summary.rows.empty());
  EXPECT_THAT(summary.unpaired, ElementsAre(0u, 1u, 1u));
}

TEST(KernelWork, KeepsOnlyTheChosenKindsAndName) {
  WorkRecording recording;
  recording.irq(100, 110, 9);
  recording.softirq(120, "entry", 1);
  recording.softirq(130, "exit", 1);
  recording.softirq(140, "entry", 3);
  recording.softirq(150, "exit", 3);
  EXPECT_EQ(work_of(recording, {.kinds = {false, true, false}}).rows.size(), 2u);
  const WorkSummary named = work_of(recording, {.name = "NET_RX"});
  ASSERT_EQ(named.rows.size(), 1u);
  EXPECT_EQ(named.events, 2u);
  EXPECT_EQ(named.span, 10u);
}

TEST(KernelWork, ShowsEachRunWithTheTimeItWasRaised) {
  WorkRecording recording;
  recording.softirq(100, "raise");
  recording.softirq(150, "entry");
  recording.softirq(155, "exit");
  recording.irq(160, 162, 9);
  std::vector<std::string> shown;
  work_of(recording, {.show = [&](const WorkRow& row, const WorkRun& run) {
            shown.push_back(fmt::format("{} {}-{} {}", row.name, run.from, run.until, run.raised.value_or(0)));
          }});
  EXPECT_THAT(shown, ElementsAre("TIMER 150-155 100", "disk 160-162 0"));
}

}  // namespace
}  // namespace peregrine
