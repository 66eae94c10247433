#include "sys/kernel/tracefs.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "support/machine.h"

namespace peregrine {
namespace {

// The location of tracefs with these lines in /proc/mounts.
std::string found_mount(const testing::Machine& machine) {
  const auto found = Tracefs::find(machine.root());
  return found ? found->mount() : found.error().message;
}

TEST(TracefsMounts, AreTakenFromTheListOfMounts) {
  const testing::Machine machine;
  machine.write("/proc/mounts = proc /proc proc rw 0 0\\nnodev /my/trace tracefs rw 0 0");
  machine.write("/my/trace/events/header_page = x");
  machine.write("/sys/kernel/tracing/events/header_page = x");
  EXPECT_EQ(found_mount(machine), "/my/trace");
}

TEST(TracefsMounts, MayHaveBlanksInTheirPath) {
  const testing::Machine machine;
  machine.write("/proc/mounts = nodev /my\\040trace tracefs rw 0 0");
  machine.write("/my trace/events/header_page = x");
  EXPECT_EQ(found_mount(machine), "/my trace");
}

TEST(TracefsMounts, ADebugfsHasTracingBelowIt) {
  const testing::Machine machine;
  machine.write("/proc/mounts = nodev /debug debugfs rw 0 0");
  machine.write("/debug/tracing/events/header_page = x");
  EXPECT_EQ(found_mount(machine), "/debug/tracing");
}

TEST(TracefsMounts, TheUsualPlaceIsTriedWithoutAList) {
  const testing::Machine machine;
  machine.write("/sys/kernel/debug/tracing/events/header_page = x");
  EXPECT_EQ(found_mount(machine), "/sys/kernel/debug/tracing");
}

TEST(TracefsMounts, NoneIsNotFoundWithTheCommandThatMountsIt) {
  const testing::Machine machine;
  machine.write("/proc/mounts = proc /proc proc rw 0 0");
  const auto found = Tracefs::find(machine.root());
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().kind, ErrorKind::NotFound);
  EXPECT_EQ(found.error().hint, "Try 'sudo mount -t tracefs nodev /sys/kernel/tracing'");
}

class TracefsEvents : public ::testing::Test {
 protected:
  TracefsEvents() {
    machine.write("/sys/kernel/tracing/events/header_page = page");
    machine.write("/sys/kernel/tracing/events/sched/sched_switch/id = 316");
    machine.write("/sys/kernel/tracing/events/sched/sched_switch/format = name: sched_switch");
    machine.write("/sys/kernel/tracing/events/sched/broken/id = many");
    machine.write("/sys/kernel/tracing/events/sched/enable = 0");
    machine.write("/sys/kernel/tracing/events/enable = 0");
    machine.write("/sys/kernel/tracing/saved_cmdlines = 1 init");
  }
  testing::Machine machine;
};

TEST_F(TracefsEvents, FilesBesideSystemsAndEventsAreNone) {
  const auto tracefs = Tracefs::find(machine.root());
  ASSERT_TRUE(tracefs);
  EXPECT_EQ(tracefs->systems(), (std::vector<std::string>{"sched"}));
  auto events = tracefs->events("sched");
  std::ranges::sort(events);
  EXPECT_EQ(events, (std::vector<std::string>{"broken", "sched_switch"}));
  EXPECT_TRUE(tracefs->events("..").empty());
}

TEST_F(TracefsEvents, AnIdMustBeANumber) {
  const auto tracefs = Tracefs::find(machine.root());
  ASSERT_TRUE(tracefs);
  EXPECT_EQ(*tracefs->id("sched", "sched_switch"), 316u);
  EXPECT_EQ(tracefs->id("sched", "broken").error().kind, ErrorKind::Malformed);
  EXPECT_EQ(tracefs->id("sched", "../sched_switch").error().kind, ErrorKind::NotFound) << "names are not paths";
  EXPECT_EQ(tracefs->id("", "sched_switch").error().kind, ErrorKind::NotFound);
}

TEST_F(TracefsEvents, TextsAreReadAsTheyAre) {
  const auto tracefs = Tracefs::find(machine.root());
  ASSERT_TRUE(tracefs);
  EXPECT_EQ(*tracefs->format("sched", "sched_switch"), "name: sched_switch\n");
  EXPECT_EQ(*tracefs->events_file("header_page"), "page\n");
  EXPECT_EQ(*tracefs->file("saved_cmdlines"), "1 init\n");
  EXPECT_FALSE(tracefs->format("sched", "nothing"));
}

}  // namespace
}  // namespace peregrine
