#include "analysis/work/cpu_usage.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "support/tracepoint_recording.h"

namespace peregrine {
namespace {

using support::ReplayedRecording;
using support::TracepointRecording;

class UsageRecording : public TracepointRecording {
 public:
  UsageRecording() {
    event("sched:sched_switch", {"prev_pid", "next_pid", "prev_comm[16]", "next_comm[16]"});
    for (const char* name : {"irq_handler_entry", "irq_handler_exit"}) event(fmt::format("irq:{}", name), {"irq"});
    for (const char* name : {"softirq_entry", "softirq_exit"}) event(fmt::format("irq:{}", name), {"vec"});
  }
  static const char* name(u32 tid) { return tid == 0 ? "swapper" : tid == 5 ? "worker" : "other"; }
  void change(u64 time, u32 leaves, u32 comes, u32 cpu = 0) {
    hit("sched:sched_switch", {.time = time, .cpu = cpu, .tid = leaves}, {leaves, comes, name(leaves), name(comes)});
  }
  void at(u64 time, const char* event, u32 cpu = 0) {
    hit(fmt::format("irq:{}", event), {.time = time, .cpu = cpu}, {1});
  }
};

CpuUsageTable usage_of(const TracepointRecording& recording, std::string name = {}) {
  ReplayedRecording replayed(recording);
  CpuUsage usage(replayed.reader(), std::move(name));
  replayed.run(usage);
  return usage.table();
}

TEST(CpuUsage, ChargesTasksBetweenTheirSwitches) {
  UsageRecording recording;
  recording.change(100, 0, 5);
  recording.change(130, 5, 6);
  recording.change(140, 6, 0);
  recording.change(190, 0, 5);
  const CpuUsageTable table = usage_of(recording);
  ASSERT_EQ(table.tasks.size(), 3u);
  EXPECT_EQ(table.tasks[0].comm, "swapper") << "idle tasks come first";
  EXPECT_EQ(table.tasks[0].runtime, 50u);
  EXPECT_EQ(table.tasks[1].runtime, 30u);
  EXPECT_EQ(table.tasks[2].comm, "other");
  EXPECT_EQ(table.tasks[2].runtime, 10u);
  EXPECT_EQ(table.cpus.at(0).total, 90u) << "from the first switch to the last";
  EXPECT_EQ(table.cpus.at(0).busy(), 40u);
}

TEST(CpuUsage, InterruptsAreNotChargedToTheTask) {
  UsageRecording recording;
  recording.change(100, 0, 5);
  recording.at(110, "irq_handler_entry");
  recording.at(115, "irq_handler_exit");
  recording.at(120, "softirq_entry");
  recording.at(140, "softirq_exit");
  recording.change(150, 5, 0);
  const CpuUsageTable table = usage_of(recording);
  EXPECT_EQ(table.tasks.at(0).runtime, 25u);
  EXPECT_EQ(table.cpus.at(0).irq, 5u);
  EXPECT_EQ(table.cpus.at(0).softirq, 20u);
  EXPECT_EQ(table.cpus.at(0).total, 50u);
}

TEST(CpuUsage, AnInterruptInsideASoftirqIsAnInterrupt) {
  UsageRecording recording;
  recording.change(100, 0, 5);
  recording.at(110, "softirq_entry");
  recording.at(120, "irq_handler_entry");
  recording.at(150, "irq_handler_exit");
  recording.at(160, "softirq_exit");
  recording.change(170, 5, 0);
  const CpuTimes times = usage_of(recording).cpus.at(0);
  EXPECT_EQ(times.irq, 30u);
  EXPECT_EQ(times.softirq, 20u);
}

TEST(CpuUsage, ALostExitDoesNotHideTheNextTask) {
  UsageRecording recording;
  recording.change(100, 0, 5);
  recording.at(110, "irq_handler_entry");
  recording.change(150, 5, 6);
  recording.change(180, 6, 0);
  const CpuUsageTable table = usage_of(recording);
  EXPECT_EQ(table.cpus.at(0).irq, 40u);
  EXPECT_EQ(table.tasks.at(1).tid, 6u);
  EXPECT_EQ(table.tasks.at(1).runtime, 30u);
}

TEST(CpuUsage, AnExitWithoutAnEntryChangesNothing) {
  UsageRecording recording;
  recording.change(100, 0, 5);
  recording.at(110, "irq_handler_exit");
  recording.at(115, "softirq_exit");
  recording.change(150, 5, 0);
  EXPECT_EQ(usage_of(recording).tasks.at(0).runtime, 50u);
}

TEST(CpuUsage, IgnoresTimeBeforeTheFirstSwitch) {
  UsageRecording recording;
  recording.at(50, "irq_handler_entry");
  recording.at(60, "irq_handler_exit");
  recording.change(100, 0, 5);
  const CpuUsageTable table = usage_of(recording);
  EXPECT_TRUE(table.cpus.empty());
  EXPECT_TRUE(table.tasks.empty());
}

TEST(CpuUsage, EachCpuHasItsOwnIdleTask) {
  UsageRecording recording;
  for (const u32 cpu : {0u, 1u}) {
    recording.change(100, 5 + cpu, 0, cpu);
    recording.change(120 + cpu, 0, 5 + cpu, cpu);
  }
  const CpuUsageTable table = usage_of(recording);
  ASSERT_EQ(table.tasks.size(), 2u);
  EXPECT_EQ(table.tasks[0].cpu, 0u);
  EXPECT_EQ(table.tasks[1].cpu, 1u);
  EXPECT_EQ(table.tasks[1].runtime, 21u);
  EXPECT_EQ(table.all().total, 41u);
  EXPECT_EQ(table.all().idle, 41u);
  EXPECT_EQ(table.all().busy(), 0u);
}

TEST(CpuUsage, ListsOnlyTasksOfTheName) {
  UsageRecording recording;
  recording.change(100, 0, 5);
  recording.change(130, 5, 6);
  recording.change(140, 6, 0);
  const CpuUsageTable table = usage_of(recording, "other");
  ASSERT_EQ(table.tasks.size(), 1u);
  EXPECT_EQ(table.tasks[0].tid, 6u);
  EXPECT_EQ(table.cpus.at(0).total, 40u) << "the CPU's times are of all tasks";
}

TEST(CpuUsage, RefusesARecordingWithoutSwitches) {
  TracepointRecording recording;
  recording.event("irq:irq_handler_entry", {"irq"});
  recording.hit("irq:irq_handler_entry", {.time = 1}, {1});
  ReplayedRecording replayed(recording);
  CpuUsage usage(replayed.reader());
  replayed.run(usage);
  ASSERT_FALSE(usage.outcome());
  EXPECT_EQ(usage.outcome().error().kind, ErrorKind::Unsupported);
}

}  // namespace
}  // namespace peregrine
