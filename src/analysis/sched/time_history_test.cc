#include "analysis/sched/time_history.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/tracepoint_recording.h"

namespace peregrine {
namespace {

using support::ReplayedRecording;
using support::TracepointRecording;
using ::testing::ElementsAre;

class HistoryRecording : public TracepointRecording {
 public:
  HistoryRecording() {
    event("sched:sched_switch", {"prev_pid", "next_pid", "prev_state", "prev_comm[16]", "next_comm[16]", "prev_prio"});
    event("sched:sched_wakeup", {"pid"});
    event("sched:sched_migrate_task", {"pid", "dest_cpu"});
  }
  // The kernel's task states: 0 runnable, 1 asleep, 2 waiting for a device.
  void change(u64 time, u32 leaves, u32 comes, u64 state = 1, u32 cpu = 0, u64 priority = 120) {
    hit("sched:sched_switch", {.time = time, .cpu = cpu, .pid = leaves, .tid = leaves},
        {leaves, comes, state, "a", "b", priority});
  }
  void wake(u64 time, u32 task) { hit("sched:sched_wakeup", {.time = time}, {task}); }
  void move(u64 time, u32 task, u32 to) { hit("sched:sched_migrate_task", {.time = time}, {task, to}); }
};

// Copies of the numbers of a shown switch, since the row borrows from the sample.
struct ShownRun {
  u32 task = 0;
  u64 wait = 0, delay = 0, run = 0, before_move = 0;
  bool operator==(const ShownRun&) const = default;
};

// Replays the recording, and inspects the sink before it is destroyed.
template <class Look>
std::vector<ShownRun> history(const TracepointRecording& recording, TimeHistory::Request request, const Look& look) {
  std::vector<ShownRun> shown;
  request.show = [&](const TimeHistoryRow& row, Resolver&) {
    if (row.kind == SchedKind::Switch) shown.push_back({row.event.task, row.wait, row.delay, row.run, row.before_move});
  };
  ReplayedRecording replayed(recording);
  TimeHistory sink(replayed.reader(), std::move(request));
  replayed.run(sink);
  look(sink);
  return shown;
}
std::vector<ShownRun> runs_of(const TracepointRecording& recording, TimeHistory::Request request = {}) {
  return history(recording, std::move(request), [](const TimeHistory&) {});
}

TEST(TimeHistory, DividesTheTimeBeforeARunAtTheWakeUp) {
  HistoryRecording recording;
  recording.change(100, 5, 0);
  recording.wake(160, 5);
  recording.change(170, 0, 5);
  recording.change(200, 5, 0);
  const auto shown = runs_of(recording);
  EXPECT_THAT(shown, ElementsAre(ShownRun{.task = 5},             // its start was not recorded
                                 ShownRun{.task = 0, .run = 70},  // idle
                                 ShownRun{.task = 5, .wait = 70, .delay = 10, .run = 30}));
}

TEST(TimeHistory, TheStateInWhichATaskLeftSaysWhatItWaitedFor) {
  HistoryRecording recording;
  recording.change(100, 5, 6, 0);  // preempted
  recording.change(110, 6, 5, 2);
  recording.change(140, 5, 6, 1);  // 6 waited for a device
  recording.change(200, 6, 5, 1);  // 5 slept
  recording.change(210, 5, 6, 1);
  history(recording, {}, [](const TimeHistory& sink) {
    const auto tasks = sink.tasks();
    ASSERT_EQ(tasks.size(), 2u);
    EXPECT_EQ(tasks[0].tid, 6u) << "it ran longest";
    EXPECT_EQ(tasks[0].times->run, 70u);
    EXPECT_EQ(tasks[0].times->io_wait, 30u);
    EXPECT_EQ(tasks[1].times->preempted, 10u);
    EXPECT_EQ(tasks[1].times->sleep, 60u);
    EXPECT_EQ(tasks[1].times->run, 40u);
  });
}

TEST(TimeHistory, ShowsTheDelayBeforeTheLastMigration) {
  HistoryRecording recording;
  recording.change(50, 0, 9, 0, 1);
  recording.change(100, 5, 0);
  recording.wake(110, 5);
  recording.move(130, 5, 1);
  recording.change(140, 9, 5, 0, 1);
  recording.change(150, 5, 9, 1, 1);
  const auto shown = runs_of(recording);
  ASSERT_EQ(shown.size(), 4u);
  EXPECT_EQ(shown.back(), (ShownRun{.task = 5, .wait = 40, .delay = 30, .run = 10, .before_move = 20}));
  history(recording, {}, [](const TimeHistory& sink) {
    EXPECT_EQ(sink.tasks().back().times->migrations + sink.tasks().front().times->migrations, 1u);
  });
}

TEST(TimeHistory, ClipsRunsToTheWindow) {
  HistoryRecording recording;
  recording.change(100, 0, 5, 0);
  recording.change(200, 5, 6, 0);
  recording.change(300, 6, 5, 0);
  recording.change(400, 5, 0, 0);
  const auto shown = history(recording, {.window = TimeRange{150, 250}}, [](const TimeHistory& sink) {
    EXPECT_EQ(sink.switches(), 2u);
    EXPECT_EQ(sink.span(), 0u) << "only one switch is in it";
  });
  EXPECT_THAT(shown, ElementsAre(ShownRun{.task = 5, .run = 50}, ShownRun{.task = 6, .run = 50}));
}

TEST(TimeHistory, ARunOutsideTheWindowStillStartsAWait) {
  HistoryRecording recording;
  recording.change(100, 5, 6);
  recording.change(300, 6, 5);
  recording.change(400, 5, 6);
  const auto shown = runs_of(recording, {.window = TimeRange{250, 500}});
  ASSERT_EQ(shown.size(), 2u);
  EXPECT_EQ(shown[1], (ShownRun{.task = 5, .wait = 200, .run = 100}));
}

TEST(TimeHistory, KeepsOnlyTheChosenPriorities) {
  HistoryRecording recording;
  recording.change(100, 0, 5);
  recording.change(110, 5, 6, 0, 0, 120);
  recording.change(120, 6, 0, 0, 0, 99);
  const auto shown = runs_of(recording, {.priorities = {98, 99}});
  EXPECT_THAT(shown, ElementsAre(ShownRun{.task = 0}, ShownRun{.task = 6, .run = 10}));
}

TEST(TimeHistory, ChargesIdleTimeToTheTaskThatLeftTheCpuIdle) {
  HistoryRecording recording;
  recording.change(100, 0, 5);
  recording.change(110, 5, 0);
  recording.change(150, 0, 6);
  recording.change(160, 6, 5);  // does not leave the CPU idle
  recording.change(170, 5, 0);
  recording.change(190, 0, 5);
  history(recording, {.idle_only = true}, [](const TimeHistory& sink) {
    const auto causes = sink.idle_causes(0);
    ASSERT_EQ(causes.size(), 1u) << "without stacks all causes are one";
    EXPECT_EQ(causes[0].time, 60u);
    EXPECT_EQ(causes[0].count, 2u);
    const auto tasks = sink.tasks();
    ASSERT_EQ(tasks.size(), 1u);
    EXPECT_EQ(tasks[0].tid, 5u);
    EXPECT_EQ(tasks[0].times->run, 60u);
    EXPECT_TRUE(sink.idle_causes(1).empty());
  });
}

TEST(TimeHistory, RemembersWhichTasksEnded) {
  HistoryRecording recording;
  recording.change(100, 5, 6);
  recording.record("exit", {{"pid", 5}, {"tid", 5}, {"time", 101}});
  recording.record("exit", {{"pid", 6}, {"tid", 6}, {"time", 102}});
  recording.record("fork", {{"pid", 6}, {"tid", 6}, {"time", 103}});  // the tid is reused
  history(recording, {}, [](const TimeHistory& sink) {
    EXPECT_TRUE(sink.has_ended(5));
    EXPECT_FALSE(sink.has_ended(6));
    EXPECT_FALSE(sink.has_ended(7));
    EXPECT_TRUE(sink.has_cpu(0));
    EXPECT_FALSE(sink.has_cpu(1));
  });
}

TEST(TimeHistory, ReportsLostEvents) {
  HistoryRecording recording;
  recording.change(100, 5, 6);
  recording.record("lost", {{"lost_id", 300}, {"lost", 42}, {"time", 120}, {"cpu", 3}});
  std::vector<u64> lost;
  history(recording, {.show_lost = [&](u64 time, u64 events, u32 cpu) { lost = {time, events, cpu}; }},
          [](const TimeHistory&) {});
  EXPECT_THAT(lost, ElementsAre(120u, 42u, 3u));
}

}  // namespace
}  // namespace peregrine
