#include "capture/counter.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "abi/attr.h"
#include "base/fd.h"
#include "capture/target/workload.h"

namespace peregrine {
namespace {

EventSpec software(const char* name, abi::SoftwareEvent event, std::size_t leader) {
  EventSpec spec;
  spec.name = name;
  spec.attr.type = static_cast<u32>(abi::EventType::Software);
  spec.attr.config = static_cast<u64>(event);
  spec.attr.read_format = abi::read_bit::TotalTimeEnabled | abi::read_bit::TotalTimeRunning;
  spec.attr.flags =
      abi::attr_flag::Disabled | abi::attr_flag::EnableOnExec | abi::attr_flag::Inherit | abi::attr_flag::ExcludeKernel;
  spec.leader = leader;
  return spec;
}

bool may_count() {
  EventSpec spec = software("page-faults", abi::SoftwareEvent::PageFaults, 0);
  return bool(Fd(open_event(spec.attr, 0, -1, -1)));
}

TEST(CounterSet, CountsAWorkloadFromItsExec) {
  if (!may_count()) GTEST_SKIP() << "perf_event_open is not permitted here";
  sigset_t mask;
  sigemptyset(&mask);
  auto workload = Workload::start({"true"}, mask);
  ASSERT_TRUE(workload);
  Target target;
  target.set_workload(workload->pid());
  EventList events{software("page-faults", abi::SoftwareEvent::PageFaults, 0),
                   software("task-clock", abi::SoftwareEvent::TaskClock, 1)};
  std::vector<std::string> warnings;
  auto counters = CounterSet::open(events, target, {}, warnings);
  ASSERT_TRUE(counters) << counters.error().message;
  ASSERT_TRUE(workload->release());
  EXPECT_EQ(workload->wait().code(), 0);
  const auto readings = counters->read();
  ASSERT_EQ(readings.size(), 2u);
  EXPECT_EQ(readings[0].event, 0u);
  EXPECT_GT(readings[0].value, 0u);
  EXPECT_GT(readings[1].value, 0u);
  EXPECT_EQ(readings[1].enabled, readings[1].running);
}

TEST(CounterSet, ReadsAGroupThroughItsLeader) {
  if (!may_count()) GTEST_SKIP() << "perf_event_open is not permitted here";
  sigset_t mask;
  sigemptyset(&mask);
  auto workload = Workload::start({"true"}, mask);
  ASSERT_TRUE(workload);
  Target target;
  target.set_workload(workload->pid());
  EventList events{software("page-faults", abi::SoftwareEvent::PageFaults, 0),
                   software("task-clock", abi::SoftwareEvent::TaskClock, 0)};
  for (auto& spec : events) spec.attr.read_format |= abi::read_bit::Group | abi::read_bit::Id;
  events[0].group_size = 2;
  events[1].attr.flags = abi::attr_flag::Inherit | abi::attr_flag::ExcludeKernel;
  std::vector<std::string> warnings;
  auto counters = CounterSet::open(events, target, {}, warnings);
  ASSERT_TRUE(counters) << counters.error().message;
  ASSERT_TRUE(workload->release());
  workload->wait();
  const auto readings = counters->read();
  ASSERT_EQ(readings.size(), 2u);
  EXPECT_EQ(readings[1].event, 1u);
  EXPECT_GT(readings[1].value, 0u);
}

TEST(CounterSet, LeavesOutWhatTheKernelDoesNotHave) {
  if (!may_count()) GTEST_SKIP() << "perf_event_open is not permitted here";
  Target target;
  target.set_workload(::getpid());
  EventList events{software("nonsense", static_cast<abi::SoftwareEvent>(4000), 0),
                   software("page-faults", abi::SoftwareEvent::PageFaults, 1)};
  std::vector<std::string> warnings;
  auto counters = CounterSet::open(events, target, {}, warnings);
  ASSERT_TRUE(counters) << counters.error().message;
  EXPECT_FALSE(counters->supported(0));
  EXPECT_EQ(counters->read().size(), 1u);
}

TEST(CounterSet, BreaksAWeakGroupThatTheKernelRefuses) {
  if (!may_count()) GTEST_SKIP() << "perf_event_open is not permitted here";
  for (const bool weak : {true, false}) {
    Target target;
    target.set_workload(::getpid());
    EventList events{software("page-faults", abi::SoftwareEvent::PageFaults, 0),
                     software("task-clock", abi::SoftwareEvent::TaskClock, 0),
                     software("context-switches", abi::SoftwareEvent::ContextSwitches, 0),
                     software("cpu-migrations", abi::SoftwareEvent::CpuMigrations, 3)};
    for (std::size_t i = 0; i < 3; ++i) events[i].attr.read_format |= abi::read_bit::Group | abi::read_bit::Id;
    events[0].group_size = 3;
    events[0].weak_group = weak;
    // Members of one group share a clock.
    for (EventSpec& spec : events) {
      spec.attr.set(abi::attr_flag::UseClockid);
      spec.attr.clockid = CLOCK_MONOTONIC;
      if (spec.leader == 0) spec.attr.set(abi::attr_flag::EnableOnExec, false);
    }
    events[1].attr.clockid = CLOCK_BOOTTIME;
    events[1].attr.set(abi::attr_flag::Disabled, false);
    events[2].attr.set(abi::attr_flag::Disabled, false);
    std::vector<std::string> warnings;
    auto counters = CounterSet::open(events, target, {}, warnings);
    ASSERT_TRUE(counters) << counters.error().message;
    ASSERT_TRUE(counters->enable());
    std::vector<u64> counted(events.size(), 0);
    for (const CounterReading& reading : counters->read()) counted[reading.event] += reading.enabled;
    EXPECT_EQ(events[1].leader, weak ? 1u : 0u);
    EXPECT_EQ(events[2].leader, weak ? 2u : 0u);
    EXPECT_EQ(events[2].attr.has(abi::attr_flag::Disabled), weak);
    for (const std::size_t event : {0u, 2u, 3u}) EXPECT_GT(counted[event], 0u) << event;
    if (weak) EXPECT_GT(counted[1], 0u);
  }
}

}  // namespace
}  // namespace peregrine
