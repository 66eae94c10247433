#include "session/recording/tracepoint/tracepoint_recording.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <initializer_list>

#include "support/machine.h"

namespace peregrine {
namespace {

using ::testing::ElementsAre;
using ::testing::IsSupersetOf;

// A kernel with these tracepoints: "sched/sched_switch".
void have_tracepoints(testing::Machine& machine, std::initializer_list<std::string_view> names) {
  machine.write("/sys/kernel/tracing/events/header_page = x");
  for (const std::string_view name : names) machine.write(fmt::format("/sys/kernel/tracing/events/{}/id = 1", name));
}

TEST(TracepointRecording, SchedulerPrefersWakingOverWakeup) {
  testing::Machine machine;
  have_tracepoints(machine, {"sched/sched_switch", "sched/sched_wakeup"});
  EXPECT_THAT(scheduler_recording(machine.root()).arguments,
              ElementsAre("-a", "-R", "-m", "1024", "-c", "1", "-e", "sched:sched_switch", "-e", "sched:sched_wakeup"));
  have_tracepoints(machine, {"sched/sched_waking"});
  EXPECT_THAT(scheduler_recording(machine.root()).arguments,
              ElementsAre("-a", "-R", "-m", "1024", "-c", "1", "-e", "sched:sched_switch", "-e", "sched:sched_waking"));
}

TEST(TracepointRecording, LocksNeedLockdepOrContentionTracepoints) {
  testing::Machine machine;
  have_tracepoints(machine, {"sched/sched_switch", "lock/contention_begin", "lock/contention_end"});
  EXPECT_THAT(lock_recording(machine.root())->arguments,
              ElementsAre("-R", "-m", "1024", "-c", "1", "-e", "lock:contention_begin", "-e", "lock:contention_end",
                          "--call-graph", "fp"));
  have_tracepoints(machine, {"lock/lock_acquire"});
  EXPECT_THAT(lock_recording(machine.root())->arguments,
              ElementsAre("-R", "-m", "1024", "-c", "1", "-e", "lock:lock_acquire"));
  testing::Machine old;
  have_tracepoints(old, {"lock/other"});
  EXPECT_EQ(lock_recording(old.root()).error().kind, ErrorKind::Unsupported);
}

TEST(TracepointRecording, OnlyPagesHaveCallChains) {
  testing::Machine machine;
  have_tracepoints(machine, {"kmem/kfree", "kmem/mm_page_free"});
  EXPECT_THAT(memory_recording(true, false, machine.root()).arguments,
              ElementsAre("-a", "-R", "-c", "1", "-e", "kmem:kfree"));
  EXPECT_THAT(memory_recording(false, true, machine.root()).arguments,
              ElementsAre("-a", "-R", "-c", "1", "-g", "-e", "kmem:mm_page_free"));
}

TEST(TracepointRecording, SwitchesAreRecordedOnRequestOnly) {
  EXPECT_FALSE(parse_recorded_work("")->switches);
  EXPECT_THAT(parse_recorded_work("")->kinds, ElementsAre(true, true, true));
  const auto switches = parse_recorded_work("sched");
  EXPECT_TRUE(switches->switches);
  EXPECT_THAT(switches->kinds, ElementsAre(false, false, false));
  EXPECT_THAT(parse_recorded_work("irq,sched")->kinds, ElementsAre(true, false, false));
  EXPECT_EQ(parse_recorded_work("nmi").error().kind, ErrorKind::Usage);

  testing::Machine machine;
  have_tracepoints(machine, {"sched/sched_switch", "irq/softirq_entry", "workqueue/workqueue_execute_end"});
  EXPECT_THAT(work_recording(*switches, machine.root()).arguments,
              ElementsAre("-a", "-R", "-m", "1024", "-c", "1", "-e", "sched:sched_switch"));
  EXPECT_THAT(work_recording({}, machine.root()).arguments,
              ElementsAre("-a", "-R", "-m", "1024", "-c", "1", "-e", "irq:softirq_entry", "-e",
                          "workqueue:workqueue_execute_end"));
}

TEST(TracepointRecording, ChartsOfCallsLeaveOutTheRecorder) {
  testing::Machine machine;
  have_tracepoints(machine, {"sched/sched_switch", "power/cpu_idle", "syscalls/sys_enter_read"});
  EXPECT_THAT(chart_recording({}, machine.root()).arguments,
              ElementsAre("-a", "-R", "-c", "1", "-e", "sched:sched_switch", "-e", "power:cpu_idle"));
  EXPECT_THAT(chart_recording({.tasks = false, .chains = true}, machine.root()).arguments,
              ElementsAre("-a", "-R", "-c", "1", "-g", "-e", "power:cpu_idle"));
  EXPECT_THAT(chart_recording({.io_only = true}, machine.root()).arguments,
              ElementsAre("-a", "-R", "-c", "1", "-e", "syscalls:sys_enter_read", "--exclude-perf"));
}

TEST(TracepointRecording, NamesAllTracepointsOfGuestsIfTracefsMayNotBeRead) {
  testing::Machine machine;
  machine.write("/proc/mounts = tracefs /sys/kernel/tracing tracefs rw 0 0\\n");
  EXPECT_THAT(guest_recording(machine.root()).arguments, IsSupersetOf({"kvm:kvm_entry", "kvm:kvm_exit"}));
}

}  // namespace
}  // namespace peregrine
