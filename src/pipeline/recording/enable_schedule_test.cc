#include "pipeline/recording/enable_schedule.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

namespace peregrine {
namespace {

using Milliseconds = EnableSchedule::Span;

EnableSchedule schedule_of(std::string_view text) {
  auto schedule = EnableSchedule::parse(text);
  if (!schedule) throw std::runtime_error(schedule.error().message);
  return *schedule;
}

// All changes, each at its time: "10 on, 20 off".
std::string changes_of(std::string_view text) {
  EnableSchedule schedule = schedule_of(text);
  std::string changes;
  while (const auto due = schedule.next()) {
    const auto change = schedule.take(*due);
    if (!change) return changes + " never";
    changes += fmt::format("{}{} {}", changes.empty() ? "" : ", ", due->count(), *change ? "on" : "off");
  }
  return changes;
}

TEST(EnableSchedule, IsOnFromTheStartUnlessItSaysOtherwise) {
  for (const EnableSchedule& schedule : {EnableSchedule(), schedule_of("0")}) {
    EXPECT_TRUE(schedule.at_once());
    EXPECT_EQ(schedule.first_ms(), 0);
    EXPECT_FALSE(schedule.next());
    EXPECT_FALSE(schedule.over()) << "it goes on until somebody ends it";
  }
}

TEST(EnableSchedule, BeginsLaterOrWhenSomebodyEnablesIt) {
  const EnableSchedule later = schedule_of("500");
  EXPECT_FALSE(later.at_once());
  EXPECT_EQ(later.first_ms(), 500);
  EXPECT_EQ(changes_of("500"), "500 on");
  const EnableSchedule never = schedule_of("-1");
  EXPECT_FALSE(never.at_once());
  EXPECT_EQ(never.first_ms(), -1);
  EXPECT_EQ(changes_of("-1"), "");
  EXPECT_FALSE(never.over());
}

TEST(EnableSchedule, SwitchesAtTheEndsOfEachRange) {
  EXPECT_EQ(changes_of("10-20"), "10 on, 20 off");
  EXPECT_EQ(changes_of("0-5,6-7,100-2147483647"), "0 on, 5 off, 6 on, 7 off, 100 on, 2147483647 off");
  EXPECT_EQ(schedule_of("10-20").first_ms(), 10);
  EXPECT_EQ(schedule_of("0-5").first_ms(), 1)
      << "off when the events are opened, since the first range switches them on";
}

TEST(EnableSchedule, TakesAChangeOnceItIsDue) {
  EnableSchedule schedule = schedule_of("10-20");
  EXPECT_FALSE(schedule.take(Milliseconds(9)));
  EXPECT_EQ(schedule.next(), Milliseconds(10));
  EXPECT_EQ(schedule.take(Milliseconds(25)), true) << "late, and before the next one";
  EXPECT_FALSE(schedule.over());
  EXPECT_EQ(schedule.take(Milliseconds(25)), false);
  EXPECT_TRUE(schedule.over());
  EXPECT_FALSE(schedule.take(Milliseconds(1000)));
  EXPECT_FALSE(schedule.next());
}

TEST(EnableSchedule, RejectsWhatIsNoDelayAndNoRange) {
  for (const std::string text :
       {"", "soon", "-2", "5ms", "2147483648", "10-", "-10-20", "10-10", "20-10", "10-20,", "10-20,15-30",
        "10-20,20-30", "30-40,10-20", "10-20 30-40", "10-20,30", "10,20", "1-2147483648"}) {
    const auto schedule = EnableSchedule::parse(text);
    ASSERT_FALSE(schedule) << text;
    EXPECT_EQ(schedule.error().kind, ErrorKind::Usage);
    EXPECT_EQ(schedule.error().message, "invalid -D '" + text + "': must be a delay in ms, or ranges");
    EXPECT_EQ(schedule.error().hint, "use -D 500, -D -1, or ascending ranges such as -D 10-20,30-40");
  }
}

}  // namespace
}  // namespace peregrine
