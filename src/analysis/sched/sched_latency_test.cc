#include "analysis/sched/sched_latency.h"

#include <gtest/gtest.h>

#include "base/result.h"
#include "support/tracepoint_recording.h"

namespace peregrine {
namespace {

using support::ReplayedRecording;
using support::TracepointRecording;

// A recording in which tasks 1 and 2 ("worker") and task 3 ("other") are woken and switched.
class LatencyRecording : public TracepointRecording {
 public:
  LatencyRecording() {
    event("sched:sched_switch", {"prev_pid", "next_pid", "prev_state"});
    event("sched:sched_wakeup", {"pid", "success"});
    event("sched:sched_migrate_task", {"pid", "dest_cpu"});
    event("sched:sched_stat_runtime", {"pid", "runtime"});
    comm(1, "worker");
    comm(2, "worker");
    comm(3, "other");
  }
  // `state`: 0 is runnable, 1 is asleep.
  void change(u64 time, u32 cpu, u32 leaves, u32 comes, u64 state = 1) {
    hit("sched:sched_switch", {.time = time, .cpu = cpu, .pid = leaves, .tid = leaves}, {leaves, comes, state});
  }
  void wake(u64 time, u32 task, u32 cpu = 0, u64 success = 1) {
    hit("sched:sched_wakeup", {.time = time, .cpu = cpu}, {task, success});
  }
  void move(u64 time, u32 task, u32 to) { hit("sched:sched_migrate_task", {.time = time}, {task, to}); }
  void ran(u64 time, u32 task, u64 runtime) { hit("sched:sched_stat_runtime", {.time = time}, {task, runtime}); }
};

struct LatencyOutcome {
  std::vector<SchedLatencyRow> rows;
  u64 wakeups = 0, gaps = 0;
  bool lost = false;
};

LatencyOutcome latencies(const TracepointRecording& recording, const SchedLatency::Request& request = {},
                         const std::vector<SchedLatencyKey>& order = {SchedLatencyKey::Most}) {
  ReplayedRecording replayed(recording);
  SchedLatency latency(replayed.reader(), request);
  replayed.run(latency);
  EXPECT_TRUE(latency.outcome());
  return {latency.rows(replayed.machine(), order), latency.wakeups(), latency.gaps(), latency.lost()};
}

TEST(SchedLatency, NeedsNoSamplesThatDoNotCount) {
  LatencyRecording recording;
  recording.event("sched:sched_waking", {"pid", "success"});
  recording.event("town:knock", {"door"});
  recording.change(100, 0, 1, 0);
  ReplayedRecording replayed(recording);
  SchedLatency all(replayed.reader(), {}), of_one_cpu(replayed.reader(), {.cpu = 0});
  all.begin_batch();
  of_one_cpu.begin_batch();
  // In the order of the recording: switch, wakeup, migrate, runtime, waking, knock.
  const std::vector<bool> needed{true, true, false, true, false, false};
  for (u32 event = 0; event < needed.size(); ++event) EXPECT_EQ(all.needs_samples_of(event), needed[event]) << event;
  EXPECT_TRUE(of_one_cpu.needs_samples_of(2)) << "the wait on another CPU does not count";
}

TEST(SchedLatency, MeasuresFromTheWakeUpToTheSwitch) {
  LatencyRecording recording;
  recording.change(100, 0, 1, 0);
  recording.wake(150, 1);
  recording.change(170, 0, 0, 1, 0);
  const LatencyOutcome outcome = latencies(recording);
  ASSERT_EQ(outcome.rows.size(), 1u);
  EXPECT_EQ(outcome.rows[0].comm, "worker");
  EXPECT_EQ(outcome.rows[0].switches, 1u);
  EXPECT_EQ(outcome.rows[0].delay, 20u);
  EXPECT_EQ(outcome.rows[0].most_from, 150u);
  EXPECT_EQ(outcome.rows[0].most_until, 170u);
  EXPECT_EQ(outcome.wakeups, 1u);
}

TEST(SchedLatency, PreemptedTasksWaitFromTheSwitchOn) {
  LatencyRecording recording;
  recording.change(100, 0, 1, 3, 0);
  recording.change(160, 0, 3, 1);
  const LatencyOutcome outcome = latencies(recording);
  ASSERT_EQ(outcome.rows.size(), 2u);
  EXPECT_EQ(outcome.rows[0].comm, "worker");
  EXPECT_EQ(outcome.rows[0].delay, 60u);
  EXPECT_EQ(outcome.wakeups, 0u);
}

TEST(SchedLatency, WakingAnAwakeTaskDoesNotRestartItsWait) {
  LatencyRecording recording;
  recording.change(100, 0, 1, 0);
  recording.wake(150, 1);
  recording.wake(165, 1);
  recording.change(170, 0, 0, 1, 0);
  const LatencyOutcome outcome = latencies(recording);
  EXPECT_EQ(outcome.rows.at(0).delay, 20u);
  EXPECT_EQ(outcome.wakeups, 1u);
}

// Kernels before 4.3 reported failed wake-ups too.
TEST(SchedLatency, FailedWakeUpsDoNotCount) {
  LatencyRecording recording;
  recording.change(100, 0, 1, 0);
  recording.wake(120, 1, 0, 0);
  recording.wake(150, 1);
  recording.change(170, 0, 0, 1, 0);
  const LatencyOutcome outcome = latencies(recording);
  EXPECT_EQ(outcome.rows.at(0).delay, 20u);
  EXPECT_EQ(outcome.wakeups, 1u);
}

TEST(SchedLatency, TasksWithOneNameShareARow) {
  LatencyRecording recording;
  for (const u32 tid : {1u, 2u}) {
    recording.change(100 * tid, 0, tid, 0);
    recording.wake(100 * tid + 10, tid);
    recording.change(100 * tid + 10 + tid, 0, 0, tid, 0);
  }
  const LatencyOutcome shared = latencies(recording);
  ASSERT_EQ(shared.rows.size(), 1u);
  EXPECT_EQ(shared.rows[0].tasks, 2u);
  EXPECT_EQ(shared.rows[0].tid, 1u) << "the first of them";
  EXPECT_EQ(shared.rows[0].delay, 3u);
  EXPECT_EQ(shared.rows[0].average(), 1u);
  const LatencyOutcome single = latencies(recording, {.by_task = true});
  ASSERT_EQ(single.rows.size(), 2u);
  EXPECT_EQ(single.rows[0].tid, 2u) << "it waited longer";
  EXPECT_EQ(single.rows[1].tasks, 1u);
}

TEST(SchedLatency, SortsByTheFirstKeyThatDiffers) {
  LatencyRecording recording;
  for (const u32 tid : {1u, 3u}) {
    recording.change(100 * tid, 0, tid, 0);
    recording.wake(100 * tid + 10, tid);
    recording.change(100 * tid + 20, 0, 0, tid, 0);
  }
  recording.ran(500, 1, 40);
  recording.ran(510, 3, 70);
  using enum SchedLatencyKey;
  EXPECT_EQ(latencies(recording, {}, {Most, Switches, Runtime}).rows.at(0).comm, "other");
  EXPECT_EQ(latencies(recording, {}, {Most}).rows.at(0).comm, "worker") << "equal rows keep the order of appearance";
  EXPECT_EQ(latencies(recording, {}, {Pid}).rows.at(0).tid, 3u);
}

TEST(SchedLatency, MissingSwitchesAreGaps) {
  LatencyRecording recording;
  recording.change(100, 0, 1, 2, 0);
  recording.change(200, 0, 3, 1, 0);  // task 2 left unseen
  recording.change(300, 1, 3, 2, 0);  // the first switch of another CPU
  EXPECT_EQ(latencies(recording).gaps, 1u);
}

TEST(SchedLatency, LostRecordsAreRemembered) {
  LatencyRecording recording;
  recording.change(100, 0, 1, 0);
  EXPECT_FALSE(latencies(recording).lost);
  recording.record("lost", {{"lost_id", 300}, {"lost", 5}, {"time", 110}});
  EXPECT_TRUE(latencies(recording).lost);
}

TEST(SchedLatency, CountsOnlyWaitsThatEndInTheWindow) {
  LatencyRecording recording;
  for (const u64 start : {100, 200, 300}) {
    recording.change(start, 0, 1, 0);
    recording.wake(start + 10, 1);
    recording.change(start + 30, 0, 0, 1, 0);
    recording.ran(start + 40, 1, 5);
  }
  const LatencyOutcome outcome = latencies(recording, {.window = TimeRange{215, 330}});
  EXPECT_EQ(outcome.rows.at(0).switches, 2u) << "the end of the window belongs to it";
  EXPECT_EQ(outcome.rows.at(0).delay, 40u) << "with the part before the window";
  EXPECT_EQ(outcome.rows.at(0).runtime, 5u);
  EXPECT_EQ(outcome.wakeups, 1u);
}

TEST(SchedLatency, OnOneCpuTheWaitElsewhereDoesNotCount) {
  LatencyRecording recording;
  recording.change(100, 1, 1, 0);
  recording.wake(110, 1);
  recording.move(150, 1, 1);
  recording.change(160, 1, 0, 1, 0);
  EXPECT_EQ(latencies(recording).rows.at(0).delay, 50u);
  EXPECT_EQ(latencies(recording, {.cpu = 1}).rows.at(0).delay, 10u);
  EXPECT_TRUE(latencies(recording, {.cpu = 0}).rows.empty());
}

TEST(SchedLatency, TheHistogramLeavesOutIdleTasks) {
  LatencyRecording recording;
  recording.change(100, 0, 1, 0);
  recording.wake(150, 1);
  recording.change(170, 0, 0, 1, 0);
  recording.change(180, 0, 1, 0);
  ReplayedRecording replayed(recording);
  SchedLatency latency(replayed.reader(), {.histogram = DelayHistogram::Scale{}});
  replayed.run(latency);
  ASSERT_TRUE(latency.histogram());
  EXPECT_EQ(latency.histogram()->total(), 1u);
}

TEST(SchedLatency, RefusesARecordingWithoutSwitches) {
  TracepointRecording recording;
  recording.event("sched:sched_wakeup", {"pid"});
  recording.hit("sched:sched_wakeup", {.time = 1}, {1});
  ReplayedRecording replayed(recording);
  SchedLatency latency(replayed.reader(), {});
  replayed.run(latency);
  ASSERT_FALSE(latency.outcome());
  EXPECT_EQ(latency.outcome().error().kind, ErrorKind::Unsupported);
}

}  // namespace
}  // namespace peregrine
