#include "analysis/chart/chart_collector.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>

#include "support/tracepoint_recording.h"

namespace peregrine {
namespace {

using support::ReplayedRecording;
using support::TracepointRecording;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class ChartRecording : public TracepointRecording {
 public:
  explicit ChartRecording(bool with_power = false) {
    event("sched:sched_switch", {"prev_pid", "next_pid", "prev_state", "prev_comm[16]", "next_comm[16]"});
    event("sched:sched_wakeup", {"pid", "success", "comm[16]"});
    for (const char* call : {"read", "write", "poll"}) {
      event(fmt::format("syscalls:sys_enter_{}", call), {"fd"});
      event(fmt::format("syscalls:sys_exit_{}", call), {"ret"});
    }
    if (!with_power) return;
    event("power:cpu_idle", {"state", "cpu_id"});
    event("power:cpu_frequency", {"state", "cpu_id"});
  }
  static const char* name(u32 tid) { return tid == 5 ? "five" : tid == 6 ? "six" : "other"; }
  // The kernel's task states: 0 runnable, 1 asleep, 2 waiting for a device, 0x10 dead.
  void change(u64 time, u32 leaves, u32 comes, u64 state = 1, u32 cpu = 0) {
    hit("sched:sched_switch", {.time = time, .cpu = cpu, .pid = leaves, .tid = leaves},
        {leaves, comes, state, name(leaves), name(comes)});
  }
  void wake(u64 time, u32 task, u32 by) {
    hit("sched:sched_wakeup", {.time = time, .pid = by, .tid = by}, {task, 1, name(task)});
  }
  void enter(u64 time, const char* call, u64 descriptor) {
    hit(fmt::format("syscalls:sys_enter_{}", call), {.time = time, .pid = 5, .tid = 5}, {descriptor});
  }
  void leave(u64 time, const char* call, i64 result) {
    hit(fmt::format("syscalls:sys_exit_{}", call), {.time = time, .pid = 5, .tid = 5}, {result});
  }
  void io(u64 from, u64 until, const char* call, u64 descriptor, i64 result) {
    enter(from, call, descriptor);
    leave(until, call, result);
  }
};

TimeChart chart_of(const TracepointRecording& recording, const ChartCollector::Request& request = {}) {
  ReplayedRecording replayed(recording);
  ChartCollector collector(replayed.reader(), request);
  replayed.run(collector);
  EXPECT_TRUE(collector.outcome());
  return collector.take_chart();
}

// The spans of a task, e.g. "run 100-150".
std::vector<std::string> spans_of(const TimeChart& chart, u32 tid) {
  constexpr std::string_view kStates[] = {"run", "wait", "block", "sleep"};
  std::vector<std::string> texts;
  for (const ChartTask& task : chart.tasks)
    if (task.tid == tid)
      for (const TaskSpan& span : task.spans)
        texts.push_back(fmt::format("{} {}-{}", kStates[static_cast<std::size_t>(span.state)], span.from, span.until));
  return texts;
}
// The I/O spans, e.g. "kind:descriptor bytes/calls 100-150".
std::vector<std::string> io_of(const TimeChart& chart) {
  std::vector<std::string> texts;
  for (const IoSpan& span : chart.tasks.at(0).io)
    texts.push_back(fmt::format("{}:{} {}/{} {}-{}", static_cast<int>(span.kind), span.descriptor, span.bytes,
                                span.calls, span.from, span.until));
  return texts;
}

TEST(ChartCollector, DividesATasksTimeByItsState) {
  ChartRecording recording;
  recording.change(100, 0, 5);
  recording.change(150, 5, 6, 1);
  recording.wake(180, 5, 6);
  recording.change(200, 6, 5, 2);
  recording.change(260, 5, 0, 0);
  const TimeChart chart = chart_of(recording);
  EXPECT_THAT(spans_of(chart, 5), ElementsAre("run 100-150", "sleep 150-180", "wait 180-200", "run 200-260"));
  EXPECT_THAT(spans_of(chart, 6), ElementsAre("run 150-200", "block 200-260"));
  EXPECT_EQ(chart.first, 100u);
  EXPECT_EQ(chart.length(), 160u);
  ASSERT_EQ(chart.cpus.size(), 1u);
  EXPECT_EQ(chart.cpus[0].busy, 160u);
  EXPECT_EQ(chart.tasks.at(0).times[static_cast<std::size_t>(TaskState::Running)], 110u);
}

TEST(ChartCollector, ATaskThatLeavesFirstRanSinceTheBeginning) {
  ChartRecording recording;
  recording.wake(100, 6, 9);
  recording.change(150, 5, 6);
  EXPECT_THAT(spans_of(chart_of(recording), 5), ElementsAre("run 100-150"));
}

TEST(ChartCollector, EndsOpenSpansWithTheChart) {
  ChartRecording recording;
  recording.change(100, 0, 5);
  recording.wake(180, 6, 5);
  const TimeChart chart = chart_of(recording);
  EXPECT_THAT(spans_of(chart, 5), ElementsAre("run 100-180"));
  EXPECT_EQ(chart.cpus.at(0).busy, 80u);
}

TEST(ChartCollector, DrawsNothingWhereASwitchWasLost) {
  ChartRecording recording;
  recording.change(100, 0, 5);
  recording.change(200, 6, 5);  // task 5 left unseen, and 6 came
  recording.change(250, 5, 0);
  const TimeChart chart = chart_of(recording);
  EXPECT_THAT(spans_of(chart, 5), ElementsAre("run 200-250"));
  EXPECT_THAT(spans_of(chart, 6), ElementsAre("sleep 200-250"));
  EXPECT_EQ(chart.cpus.at(0).busy, 50u);
}

TEST(ChartCollector, WakersAreTasksOrInterrupts) {
  ChartRecording recording;
  recording.change(100, 5, 6);
  recording.wake(120, 5, 6);
  recording.change(130, 6, 5);
  recording.change(140, 5, 0);
  recording.wake(150, 5, 0);
  recording.change(160, 0, 5);
  const TimeChart chart = chart_of(recording);
  ASSERT_EQ(chart.wakes.size(), 1u) << "an idle CPU wakes nobody: an interrupt did";
  EXPECT_EQ(chart.wakes[0].time, 120u);
  EXPECT_EQ(chart.tasks.at(chart.wakes[0].waker).comm, "six");
  std::vector<u32> wakers;
  for (const TaskSpan& span : chart.tasks.at(0).spans)
    if (span.state == TaskState::Waiting) wakers.push_back(span.waker);
  EXPECT_THAT(wakers, ElementsAre(chart.wakes[0].waker, kInterrupt));
}

TEST(ChartCollector, ANumberThatIsUsedAgainIsAnotherTask) {
  ChartRecording recording;
  recording.change(100, 0, 5);
  recording.change(150, 5, 0, 0x10);
  recording.record("fork", {{"pid", 5}, {"tid", 5}, {"time", 160}});
  recording.change(200, 0, 5);
  recording.change(250, 5, 0);
  const TimeChart chart = chart_of(recording);
  ASSERT_EQ(chart.tasks.size(), 2u);
  EXPECT_EQ(chart.tasks[0].spans.size(), 1u) << "the dead do not sleep";
  EXPECT_EQ(chart.tasks[1].spans.at(0).from, 200u);
}

TEST(ChartCollector, IdleStatesOfTheProcessorBeatIdleTasks) {
  ChartRecording recording(true);
  recording.hit("power:cpu_idle", {.time = 100}, {2, 0});
  recording.hit("power:cpu_frequency", {.time = 120}, {1'000'000, 0});
  recording.hit("power:cpu_idle", {.time = 150}, {0xffffffff, 0});  // awake
  recording.hit("power:cpu_frequency", {.time = 170}, {2'000'000, 0});
  recording.change(180, 0, 5);
  const TimeChart chart = chart_of(recording);
  EXPECT_TRUE(chart.has_idle_states);
  const ChartCpu& cpu = chart.cpus.at(0);
  ASSERT_EQ(cpu.idle.size(), 1u);
  EXPECT_EQ(cpu.idle[0].which, 2u);
  EXPECT_EQ(cpu.idle[0].length(), 50u);
  ASSERT_EQ(cpu.frequencies.size(), 2u);
  EXPECT_EQ(cpu.frequencies[0].kilohertz, 1'000'000u);
  EXPECT_EQ(cpu.frequencies[0].length(), 50u);
  EXPECT_EQ(cpu.frequencies[1].until, 180u);
}

TEST(ChartCollector, RefusesARecordingWithNothingToDraw) {
  TracepointRecording recording;
  recording.event("irq:softirq_raise", {"vec"});
  recording.hit("irq:softirq_raise", {.time = 1}, {1});
  ReplayedRecording replayed(recording);
  ChartCollector collector(replayed.reader(), {});
  replayed.run(collector);
  ASSERT_FALSE(collector.outcome());
  EXPECT_EQ(collector.outcome().error().kind, ErrorKind::Unsupported);
}

TEST(IoPairs, ACallLastsFromItsEnterToItsExit) {
  ChartRecording recording;
  recording.io(1000, 1100, "read", 3, 512);
  recording.io(9000, 9001, "write", 4, 10);
  const TimeChart chart = chart_of(recording);
  EXPECT_TRUE(chart.has_io);
  EXPECT_THAT(io_of(chart), ElementsAre("0:3 512/1 1000-1100", "1:4 10/1 9000-9001"));
  EXPECT_EQ(chart.tasks[0].taken, 512u);
  EXPECT_EQ(chart.tasks[0].given, 10u);
}

TEST(IoPairs, MergesCallsThatFollowClosely) {
  ChartRecording recording;
  recording.io(1000, 1100, "read", 3, 100);
  recording.io(1150, 1200, "read", 3, 100);  // at the maximum distance
  recording.io(1251, 1300, "read", 3, 100);
  recording.io(1310, 1320, "read", 4, 100);  // a different file
  EXPECT_THAT(io_of(chart_of(recording, {.io = {.merge_distance = 50}})),
              ElementsAre("0:3 200/2 1000-1200", "0:3 100/1 1251-1300", "0:4 100/1 1310-1320"));
}

TEST(IoPairs, FailedCallsHaveAnErrorAndNoBytes) {
  ChartRecording recording;
  recording.io(1000, 1100, "read", 3, -EAGAIN);
  recording.io(5000, 5100, "read", 3, -EIO);
  const TimeChart chart = chart_of(recording);
  ASSERT_EQ(chart.tasks.at(0).io.size(), 2u);
  EXPECT_EQ(chart.tasks[0].io[0].error, EAGAIN);
  EXPECT_EQ(chart.tasks[0].io[1].bytes, 0u);
  const TimeChart skipped = chart_of(recording, {.io = {.skip_again = true}});
  ASSERT_EQ(skipped.tasks.at(0).io.size(), 1u);
  EXPECT_EQ(skipped.tasks[0].io[0].error, EIO);
}

TEST(IoPairs, TheResultOfAPollIsNoNumberOfBytes) {
  ChartRecording recording;
  recording.io(1000, 1100, "poll", 3, 2);
  EXPECT_EQ(chart_of(recording).tasks.at(0).io.at(0).bytes, 0u);
}

TEST(IoPairs, IgnoresExitsOfCallsThatBeganUnseen) {
  ChartRecording recording;
  recording.leave(900, "read", 100);
  recording.enter(1000, "read", 3);
  recording.leave(1100, "write", 50);  // the exit does not match the call that began
  recording.leave(1200, "read", 7);
  EXPECT_THAT(io_of(chart_of(recording)), ElementsAre("0:3 7/1 1000-1200"));
}

TEST(IoPairs, ACallThatGoesOnEndsWithTheChart) {
  ChartRecording recording;
  recording.enter(1000, "read", 3);
  recording.io(3000, 3500, "write", 4, 1);  // of the same task; the exit of the read was lost
  recording.enter(4000, "poll", ~u64{0});
  recording.change(5000, 6, 0);
  EXPECT_THAT(io_of(chart_of(recording)), ElementsAre("1:4 1/1 3000-3500", "5:-1 0/1 4000-5000"));
}

}  // namespace
}  // namespace peregrine
