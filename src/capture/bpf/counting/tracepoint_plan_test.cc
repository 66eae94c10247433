// Plans for a fake tracefs. System call numbers are this machine's, so they come from abi's table.
#include "capture/bpf/counting/tracepoint_plan.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <utility>

#include "abi/arch/registers.h"
#include "abi/arch/syscall.h"
#include "abi/attr.h"
#include "support/machine.h"

namespace peregrine {
namespace {

EventSpec planned_event(std::string system, std::string tracepoint) {
  EventSpec spec;
  spec.attr.type = static_cast<u32>(abi::EventType::Tracepoint);
  spec.name = system + ":" + tracepoint;
  spec.system = std::move(system);
  spec.tracepoint = std::move(tracepoint);
  return spec;
}

// Ungrouped events of these names.
EventList planned_events(std::initializer_list<std::pair<const char*, const char*>> names) {
  EventList events;
  for (const auto& [system, tracepoint] : names) {
    events.push_back(planned_event(system, tracepoint));
    events.back().leader = events.size() - 1;
  }
  return events;
}

class TracepointPlanTest : public ::testing::Test {
 protected:
  TracepointPlanTest() {
    machine_.write("/sys/kernel/tracing/events/header_page = x");
    machine_.write(
        "/sys/kernel/tracing/available_events = sched:sched_switch\\nsched:sched_stat_runtime\\n"
        "sched:sched_stat_wait\\nirq:irq_handler_entry\\nxdp:twice\\nnet:twice\\nprobe:mine\\n"
        "other:sched_stat_sleep\\nsyscalls:sys_enter_openat");
    machine_.write("/sys/kernel/tracing/dynamic_events = p:probe/mine do_sys_open");
  }
  TracepointPlan plan(const EventList& events) const { return plan_tracepoints(events, machine_.root()); }

  testing::Machine machine_;
};

TEST_F(TracepointPlanTest, GivesEachTracepointACounter) {
  const TracepointPlan plan = this->plan(planned_events({{"sched", "sched_switch"}, {"irq", "irq_handler_entry"}}));
  EXPECT_EQ(plan.counters, 2u);
  EXPECT_TRUE(plan.syscalls.empty());
  ASSERT_EQ(plan.hits.size(), 2u);
  EXPECT_EQ(plan.hits[0].event, 0u);
  EXPECT_EQ(plan.hits[0].number, 0u);
  EXPECT_EQ(plan.hits[0].tracepoint, "sched_switch");
  EXPECT_EQ(plan.hits[1].event, 1u);
  EXPECT_EQ(plan.hits[1].number, 1u);
  EXPECT_EQ(plan.hits[1].tracepoint, "irq_handler_entry");
}

// perf_event counts nanoseconds of the sched_stat tracepoints; a program must do the same.
TEST_F(TracepointPlanTest, CountsAmountsWhereTheKernelDoes) {
  const TracepointPlan plan = this->plan(planned_events({{"sched", "sched_stat_runtime"},
                                                         {"sched", "sched_stat_wait"},
                                                         {"sched", "sched_switch"},
                                                         {"other", "sched_stat_sleep"}}));
  ASSERT_EQ(plan.hits.size(), 4u);
  EXPECT_TRUE(plan.hits[0].by_amount);
  EXPECT_TRUE(plan.hits[1].by_amount);
  EXPECT_FALSE(plan.hits[2].by_amount);
  EXPECT_FALSE(plan.hits[3].by_amount) << "only the scheduler's own";
}

TEST_F(TracepointPlanTest, LeavesNamesThatDoNotIdentifyATracepoint) {
  struct Case {
    const char *system, *tracepoint, *why;
  };
  for (const Case& each : {Case{"xdp", "twice", "two subsystems have it"}, Case{"net", "twice", "likewise"},
                           Case{"probe", "mine", "a probe made at run time"}, Case{"sched", "absent", "unknown"},
                           Case{"syscalls", "sys_enter_no_such_call", "no number"}}) {
    const TracepointPlan plan = this->plan({planned_event(each.system, each.tracepoint)});
    EXPECT_TRUE(plan.hits.empty()) << each.why;
    EXPECT_TRUE(plan.syscalls.empty()) << each.why;
    EXPECT_EQ(plan.counters, 0u) << each.why;
  }
}

TEST_F(TracepointPlanTest, CountsSystemCallsByNumber) {
  const auto openat = abi::syscall_number(abi::kHostArch, "openat");
  ASSERT_TRUE(openat);
  const TracepointPlan plan = this->plan(planned_events({{"syscalls", "sys_enter_openat"},
                                                         {"sched", "sched_switch"},
                                                         {"syscalls", "sys_exit_openat"},
                                                         {"syscalls", "sys_enter_openat"}}));
  EXPECT_EQ(plan.counters, 3u) << "the repeated one shares a counter";
  ASSERT_EQ(plan.hits.size(), 1u);
  EXPECT_EQ(plan.hits[0].number, 1u);
  ASSERT_EQ(plan.syscalls.size(), 3u);
  constexpr std::size_t kEvents[] = {0, 2, 3};
  constexpr u32 kNumbers[] = {0, 2, 0};
  for (std::size_t i = 0; i < 3; ++i) {
    SCOPED_TRACE(i);
    EXPECT_EQ(plan.syscalls[i].event, kEvents[i]);
    EXPECT_EQ(plan.syscalls[i].number, kNumbers[i]);
    EXPECT_EQ(plan.syscalls[i].call, *openat);
    EXPECT_EQ(plan.syscalls[i].enters, kEvents[i] != 2);
  }
}

// One switch starts and stops all programs, and one mark makes all of them follow children.
TEST_F(TracepointPlanTest, LeavesEventsThatStartOrFollowUnlikeTheFirst) {
  namespace flag = abi::attr_flag;
  for (const u64 setting : {flag::Disabled, flag::EnableOnExec, flag::Inherit}) {
    EventList events = planned_events({{"sched", "sched_switch"}, {"irq", "irq_handler_entry"}});
    events[1].attr.set(setting);
    const TracepointPlan plan = this->plan(events);
    ASSERT_EQ(plan.hits.size(), 1u) << setting;
    EXPECT_EQ(plan.hits[0].event, 0u);
    events[0].attr.set(setting);
    EXPECT_EQ(this->plan(events).hits.size(), 2u) << setting;
  }
}

TEST_F(TracepointPlanTest, ComparesWithTheFirstThatIsTaken) {
  EventList events = planned_events({{"xdp", "twice"}, {"sched", "sched_switch"}, {"irq", "irq_handler_entry"}});
  events[1].attr.set(abi::attr_flag::Inherit);
  events[2].attr.set(abi::attr_flag::Inherit);
  const TracepointPlan plan = this->plan(events);
  EXPECT_EQ(plan.hits.size(), 2u) << "the ambiguous first event sets no example";
}

TEST(TracepointPlanWithoutTracefs, IsEmpty) {
  const testing::Machine machine;
  EXPECT_EQ(plan_tracepoints({planned_event("sched", "sched_switch")}, machine.root()).counters, 0u);
}

}  // namespace
}  // namespace peregrine
