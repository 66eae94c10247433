// The state of tracers, read from their files.
#include "capture/tracer/tracer_status.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/machine.h"

namespace peregrine {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(TracerStatus, HasTheTopLevelTracerAndInstances) {
  const testing::Machine machine;
  const std::string top = "/sys/kernel/tracing/";
  for (const char* file :
       {"available_tracers = blk nop", "current_tracer = blk", "tracing_on = 1", "trace_clock = local [mono] boot",
        "buffer_size_kb = 7 (expanded: 1408)", "tracing_cpumask = 3", "per_cpu/cpu0/stats = entries: 5\\noverrun: 2",
        "per_cpu/cpu1/stats = entries: 10\\noverrun: 0", "set_event = sched:sched_switch",
        "events/sched/sched_switch/filter = prev_pid == 1", "events/sched/sched_waking/trigger = traceoff:unlimited",
        "events/sched/sched_switch/trigger = # Available triggers:\\n# traceon traceoff",
        "instances/peregrine-boot/tracing_on = 0"})
    machine.write(top + file);
  const TracerStatus status = read_tracer_status(TraceFolder(machine.root(), "/sys/kernel/tracing"));
  EXPECT_THAT(status.tracers, ElementsAre("blk", "nop"));
  ASSERT_THAT(status.states, SizeIs(2));
  const TracerState& state = status.states[0];
  EXPECT_EQ(state.tracer, "blk");
  EXPECT_TRUE(state.running);
  EXPECT_EQ(state.clock, "mono");
  EXPECT_EQ(state.buffer_kb, 7u);
  EXPECT_EQ(state.entries, 15u);
  EXPECT_EQ(state.overrun, 2u);
  EXPECT_THAT(state.events, ElementsAre("sched:sched_switch"));
  ASSERT_THAT(state.filters, SizeIs(1));
  EXPECT_EQ(state.filters[0].text, "prev_pid == 1");
  ASSERT_THAT(state.triggers, SizeIs(1)) << "comments are no triggers";
  EXPECT_EQ(state.triggers[0].event, "sched:sched_waking");
  EXPECT_EQ(status.states[1].instance, "peregrine-boot");
  EXPECT_FALSE(status.states[1].running);
  EXPECT_THAT(status.states[1].events, IsEmpty());
}

TEST(TraceFolder, KeptInstancesHaveNamesThatNoProcessMakes) {
  EXPECT_EQ(kept_instance_name("boot"), "peregrine-boot");
  EXPECT_EQ(kept_name_of("peregrine-boot"), "boot");
  EXPECT_EQ(kept_name_of("peregrine-12-345"), std::nullopt);
  EXPECT_EQ(kept_name_of("trace-cmd"), std::nullopt);
  EXPECT_EQ(kept_name_of(instance_name()), std::nullopt);
}

}  // namespace
}  // namespace peregrine
