#include "session/recording/tracepoint/recordable_tracepoints.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/machine.h"

namespace peregrine {
namespace {

using ::testing::ElementsAre;

const Error kSyntaxError{ErrorKind::Usage, "event syntax error: 'sched:sched_switch'"};

TEST(RecordableTracepoints, AddsThoseThatTheKernelHas) {
  testing::Machine machine;
  machine.write("/sys/kernel/tracing/events/header_page = x");
  machine.write("/sys/kernel/tracing/events/sched/sched_switch/id = 1");
  const RecordableTracepoints there("sched", machine.root());
  std::vector<std::string> words{"record"};
  there.add_events({"sched_switch", "sched_stat_wait"}, words);
  EXPECT_THAT(words, ElementsAre("record", "-e", "sched:sched_switch"));
  EXPECT_EQ(there.cause_of(kSyntaxError).message, kSyntaxError.message);
}

TEST(RecordableTracepoints, AddsAllAndBlamesTracefsIfItMayNotBeRead) {
  testing::Machine machine;
  machine.write("/proc/mounts = tracefs /sys/kernel/tracing tracefs rw 0 0\\n");
  const RecordableTracepoints there("sched", machine.root());
  std::vector<std::string> words;
  there.add_events({"sched_switch"}, words);
  EXPECT_THAT(words, ElementsAre("-e", "sched:sched_switch"));
  EXPECT_EQ(there.cause_of(kSyntaxError).message, "No permissions to read /sys/kernel/tracing/events");
  EXPECT_EQ(there.cause_of({ErrorKind::System, "no memory"}).message, "no memory");
}

}  // namespace
}  // namespace peregrine
