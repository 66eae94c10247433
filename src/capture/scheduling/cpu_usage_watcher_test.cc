// How a CPU's time is divided at the end; tests/live covers the BPF program itself.
#include "capture/scheduling/cpu_usage_watcher.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string_view>

#include "capture/bpf/scheduling/cpu_usage.h"

namespace peregrine {
namespace {

// A CPU that last changed at 1000 ns, after some work of each kind.
cpu_course course_of(u32 tid, std::string_view comm) {
  cpu_course course{};
  course.since = 1000;
  course.total = 900;
  course.idle = 400;
  course.irq = 30;
  course.softirq = 20;
  course.tid = tid;
  std::memcpy(course.comm, comm.data(), std::min(comm.size(), sizeof course.comm));
  return course;
}

TEST(CpuUsage, ChargesTheLastSpanToTheTaskThatRuns) {
  UsageByTask tasks;
  const WatchedCpu cpu = end_course(course_of(42, "worker"), 3, 1500, tasks);
  EXPECT_EQ(cpu.cpu, 3u);
  EXPECT_EQ(cpu.total, 1400u);
  EXPECT_EQ(cpu.idle, 400u);
  EXPECT_EQ(cpu.irq, 30u);
  EXPECT_EQ(cpu.softirq, 20u);
  ASSERT_EQ(tasks.size(), 1u);
  const WatchedUsage& usage = tasks.begin()->second;
  EXPECT_EQ(usage.tid, 42u);
  EXPECT_EQ(usage.comm, "worker");
  EXPECT_EQ(usage.runtime, 500u);
}

TEST(CpuUsage, AddsToWhatTheTaskUsedBefore) {
  UsageByTask tasks;
  tasks[{42, 0}] = {.tid = 42, .cpu = 0, .comm = "old name", .runtime = 10'000};
  end_course(course_of(42, "new name"), 3, 1500, tasks);
  end_course(course_of(42, "new name"), 5, 1100, tasks);  // a moment later on another CPU
  ASSERT_EQ(tasks.size(), 1u) << "a task is one row, wherever it ran";
  const WatchedUsage& usage = tasks.begin()->second;
  EXPECT_EQ(usage.runtime, 10'600u);
  EXPECT_EQ(usage.comm, "new name");
}

// An interrupt interrupts a softirq, which interrupts a task: the innermost is charged, however deeply it is nested.
TEST(CpuUsage, ChargesTheInnermostOfInterruptSoftirqAndTask) {
  struct Case {
    u32 irqs, softirqs;
    u64 irq, softirq;
    std::size_t tasks;
  };
  for (const Case& each :
       {Case{1, 0, 530, 20, 0}, Case{0, 1, 30, 520, 0}, Case{1, 1, 530, 20, 0}, Case{3, 2, 530, 20, 0}}) {
    SCOPED_TRACE(fmt::format("{} interrupts, {} softirqs", each.irqs, each.softirqs));
    cpu_course course = course_of(42, "worker");
    course.irqs = each.irqs;
    course.softirqs = each.softirqs;
    UsageByTask tasks;
    const WatchedCpu cpu = end_course(course, 0, 1500, tasks);
    EXPECT_EQ(cpu.total, 1400u);
    EXPECT_EQ(cpu.irq, each.irq);
    EXPECT_EQ(cpu.softirq, each.softirq);
    EXPECT_EQ(cpu.idle, 400u);
    EXPECT_EQ(tasks.size(), each.tasks);
  }
}

TEST(CpuUsage, EachCpuHasAnIdleTask) {
  UsageByTask tasks;
  EXPECT_EQ(end_course(course_of(0, "swapper/3"), 3, 1500, tasks).idle, 900u);
  EXPECT_EQ(end_course(course_of(0, "swapper/7"), 7, 1200, tasks).idle, 600u);
  ASSERT_EQ(tasks.size(), 2u);
  EXPECT_EQ((tasks[{0, 3}].comm), "swapper/3");
  EXPECT_EQ((tasks[{0, 3}].runtime), 500u);
  EXPECT_EQ((tasks[{0, 7}].cpu), 7u);
  EXPECT_EQ((tasks[{0, 7}].runtime), 200u);
}

// The clock was read before the last event of another CPU: there is nothing left to charge, and nothing wraps.
TEST(CpuUsage, ChargesNothingIfTheLastChangeIsYounger) {
  for (const u64 until : {u64{0}, u64{999}, u64{1000}}) {
    UsageByTask tasks;
    EXPECT_EQ(end_course(course_of(42, "worker"), 0, until, tasks).total, 900u) << until;
    EXPECT_EQ((tasks[{42, 0}].runtime), 0u) << until;
  }
}

TEST(CpuUsage, ReadsNamesThatFillTheirField) {
  UsageByTask tasks;
  end_course(course_of(42, "0123456789abcdef"), 0, 1500, tasks);
  EXPECT_EQ((tasks[{42, 0}].comm), "0123456789abcdef");
}

TEST(CpuUsageWatcher, RejectsCpusThatItsProgramHasNoRoomFor) {
  const auto opened = CpuUsageWatcher::open({0, kUsageCpus});
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().kind, ErrorKind::Unsupported);
  EXPECT_EQ(opened.error().message, "cannot measure CPU 4096 with BPF");
}

}  // namespace
}  // namespace peregrine
