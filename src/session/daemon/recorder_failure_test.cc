#include "session/daemon/recorder_failure.h"

#include <gtest/gtest.h>

namespace peregrine {
namespace {

TEST(RecorderFailure, IsTheErrorAndNotTheUsage) {
  const auto failure = failure_in(
      "  Error: unknown option `nosuch'\n\n Usage: falcon record [<options>]\n\n See 'falcon record -h'.\n", "falcon");
  EXPECT_EQ(failure.reason, "unknown option `nosuch'");
  EXPECT_EQ(failure.hint, "");
}

TEST(RecorderFailure, ExplainsASyntaxError) {
  const auto failure = failure_in(
      "event syntax error: 'nosuch:event'\n                     \\___ unknown tracepoint\n\n"
      "Error:\tFile /sys/kernel/tracing/events/nosuch/event not found.\n\n  hint: Perhaps a setting is missing\n"
      "Run 'falcon list' for a list of valid events\n\n Usage: falcon record\n",
      "falcon");
  EXPECT_EQ(failure.reason, "event syntax error: 'nosuch:event': unknown tracepoint");
  EXPECT_EQ(failure.hint, "Perhaps a setting is missing");
}

TEST(RecorderFailure, MayBeOnTheLineAfterTheTitle) {
  EXPECT_EQ(failure_in("Error:\nAccess is limited.\n", "falcon").reason, "Access is limited.");
  EXPECT_EQ(failure_in("Error:\n", "falcon").reason, "");
}

TEST(RecorderFailure, IsTheLastLineOtherwise) {
  const auto failure =
      failure_in("falcon: warning: no kernel symbols\nfalcon: cannot open 'x': denied\nhint: run as root\n", "falcon");
  EXPECT_EQ(failure.reason, "cannot open 'x': denied");
  EXPECT_EQ(failure.hint, "run as root");
}

TEST(RecorderFailure, IsNotInAnEmptyOutput) {
  for (const char* output : {"", "\n \n", "hint: x\n", " Usage: falcon\n"})
    EXPECT_EQ(failure_in(output, "falcon").reason, "") << output;
}

}  // namespace
}  // namespace peregrine
