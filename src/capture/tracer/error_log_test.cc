// The kernel's error log, and triggers that it lacks.
#include "capture/tracer/error_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace peregrine {
namespace {

using ::testing::ElementsAre;

TEST(ErrorLog, TheLastEntryIsShownWithItsCaret) {
  EXPECT_EQ(last_complaint("[13094.019907] trace_uprobe: error: This argument name is already used\n"
                           "  Command: p:x/y /tmp/z:0x1000 a=%di a=%si\n"
                           "                              ^\n"
                           "[15778.379753] event filter parse error: error: Field not found\n"
                           "  Command: foo == 3\n"
                           "           ^\n"),
            "Field not found\n  foo == 3\n  ^");
  EXPECT_EQ(last_complaint("[1.0] hist:sched:sched_switch: error: Couldn't find field\n  Command: keys=nofield\n"
                           "                ^\n"),
            "Couldn't find field\n  keys=nofield\n       ^");
}

TEST(ErrorLog, OtherTextHasNoComplaint) {
  for (const char* text : {"", "[1.0] x", "[1.0] x: error: y", "\n[", "  Command: a\n[1.0] x: error: b\n"})
    EXPECT_EQ(last_complaint(text), "") << text;
}

TEST(ErrorLog, MissingTriggersAreRecognised) {
  constexpr std::string_view kListed = "# Available triggers:\n# traceon traceoff stacktrace\n";
  const auto missing = missing_trigger("hist:keys=pid", kListed);
  ASSERT_TRUE(missing);
  EXPECT_EQ(missing->name, "hist");
  EXPECT_THAT(missing->available, ElementsAre("traceon", "traceoff", "stacktrace"));
  EXPECT_FALSE(missing_trigger("traceoff if pid == 1", kListed));
  EXPECT_FALSE(missing_trigger("hist:keys=pid", "traceoff:unlimited\n")) << "a file with triggers does not list them";
}

}  // namespace
}  // namespace peregrine
