#include "capture/perf_event/filter_complaint.h"

#include <gtest/gtest.h>

namespace peregrine {
namespace {

TEST(FilterComplaint, IsTheLastMessageOfTheLogWithItsCaret) {
  const std::string log =
      "[  117.404295] event filter parse error: error: Field not found\n"
      "  Command: prev_pidd == 1\n"
      "           ^\n"
      "[  118.000001] event filter parse error: error: Illegal operation for field type\n"
      "  Command: prev_comm > 1\n"
      "                     ^\n\n";
  EXPECT_EQ(last_filter_complaint(log),
            "Illegal operation for field type\n"
            "  Command: prev_comm > 1\n"
            "                     ^");
}

TEST(FilterComplaint, IgnoresMessagesOfOtherParsers) {
  EXPECT_EQ(last_filter_complaint(""), "");
  EXPECT_EQ(last_filter_complaint("[  117.4] hist:sched:sched_switch: error: Couldn't find field\n  Command: keys=x\n"),
            "");
}

// The command was typed by a user, so it may contain the text that introduces a message.
TEST(FilterComplaint, KeepsACommandThatLooksLikeAMessage) {
  EXPECT_EQ(last_filter_complaint("[ 1.2] event filter parse error: error: Missing closing quote\n"
                                  "  Command: comm == \"error: x\n"
                                  "                   ^\n"),
            "Missing closing quote\n"
            "  Command: comm == \"error: x\n"
            "                   ^");
}

}  // namespace
}  // namespace peregrine
