// Tests which events may be counted by BPF programs instead of perf_event; tests/live covers the programs themselves.
#include "capture/bpf/counting/tracepoint_counter.h"

#include <gtest/gtest.h>

#include "abi/attr.h"
#include "capture/bpf/counting/tracepoint_plan.h"

namespace peregrine {
namespace {

EventSpec plain_tracepoint() {
  EventSpec spec;
  spec.attr.type = static_cast<u32>(abi::EventType::Tracepoint);
  spec.system = "sched";
  spec.tracepoint = "sched_switch";
  spec.leader = 0;
  spec.group_size = 1;
  return spec;
}

bool may_take(const EventSpec& spec) { return TracepointCounter::may_take({spec}, 0); }

TEST(TracepointCounter, TakesAPlainTracepoint) { EXPECT_TRUE(may_take(plain_tracepoint())); }

TEST(TracepointCounter, LeavesEventsOfOtherKinds) {
  EventSpec spec = plain_tracepoint();
  spec.attr.type = static_cast<u32>(abi::EventType::Hardware);
  spec.system.clear();
  spec.tracepoint.clear();
  EXPECT_FALSE(may_take(spec));
}

TEST(TracepointCounter, LeavesMembersAndLeadersOfGroups) {
  EventSpec leader = plain_tracepoint(), member = plain_tracepoint();
  leader.group_size = 2;
  EXPECT_FALSE(TracepointCounter::may_take({leader, member}, 0));
  EXPECT_FALSE(TracepointCounter::may_take({leader, member}, 1)) << "its leader is event 0";
}

TEST(TracepointCounter, LeavesWhatAProgramCannotRestrict) {
  namespace flag = abi::attr_flag;
  EventSpec spec = plain_tracepoint();
  spec.filter = "prev_pid == 1";
  EXPECT_FALSE(may_take(spec)) << "the kernel's filters";
  for (const u64 mode : {flag::ExcludeKernel, flag::ExcludeUser}) {
    spec = plain_tracepoint();
    spec.attr.set(mode);
    EXPECT_FALSE(may_take(spec)) << mode;
  }
  spec = plain_tracepoint();
  spec.cgroup = "user.slice";
  EXPECT_FALSE(may_take(spec)) << "control groups";
  spec = plain_tracepoint();
  spec.immediate = true;
  EXPECT_FALSE(may_take(spec)) << "events that count from the start";
}

TEST(TracepointCounter, LeavesTheFunctionTracer) {
  EventSpec spec = plain_tracepoint();
  spec.system = "ftrace";
  spec.tracepoint = "function";
  EXPECT_FALSE(may_take(spec));
}

TEST(TracepointPlan, IsEmptyWithoutTracepoints) {
  EXPECT_TRUE(plan_tracepoints({}).hits.empty());
  EventSpec spec = plain_tracepoint();
  spec.tracepoint = "no tracepoint has blanks";
  const TracepointPlan plan = plan_tracepoints({spec});
  EXPECT_TRUE(plan.hits.empty());
  EXPECT_TRUE(plan.syscalls.empty());
  EXPECT_EQ(plan.counters, 0u);
}

}  // namespace
}  // namespace peregrine
