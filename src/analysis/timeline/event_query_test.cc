#include "analysis/timeline/event_query.h"

#include <gtest/gtest.h>

#include <fstream>

namespace peregrine {
namespace {

// An event sched:sched_switch of task bash with prev_pid=77 and prev_comm=Xorg.
bool matches(std::string_view query) {
  const EventQuery::Subject subject{.event = "sched:sched_switch",
                                    .field = [](std::string_view name) -> std::optional<std::string> {
                                      if (name == "prev_pid") return "77";
                                      if (name == "prev_comm") return "Xorg";
                                      if (name == "comm") return "bash";
                                      return std::nullopt;
                                    },
                                    .any_text =
                                        [](std::string_view text) {
                                          return std::string_view("xorg").contains(text) ||
                                                 std::string_view("bash").contains(text);
                                        }};
  return EventQuery(query).matches(subject);
}

TEST(EventQuery, FindsTextAnywhere) {
  EXPECT_TRUE(matches("switch"));
  EXPECT_TRUE(matches("XORG"));
  EXPECT_TRUE(matches("bash switch"));
  EXPECT_FALSE(matches("bash wakeup"));
}

TEST(EventQuery, ComparesFields) {
  EXPECT_TRUE(matches("prev_pid=77"));
  EXPECT_FALSE(matches("prev_pid!=77"));
  EXPECT_TRUE(matches("prev_pid>9")) << "as numbers, not as text";
  EXPECT_TRUE(matches("prev_pid<=77"));
  EXPECT_TRUE(matches("prev_comm~org"));
  EXPECT_FALSE(matches("prev_comm=xorg"));
  EXPECT_FALSE(matches("next_pid=77")) << "an event without the field does not match";
  EXPECT_FALSE(matches("next_pid!=77"));
  EXPECT_TRUE(matches("event=sched_switch"));
  EXPECT_TRUE(matches("event=sched:sched_switch comm=bash"));
}

// The lines of a table that the page of `view` is tested with, too.
TEST(EventQuery, AgreesWithThePage) {
  std::ifstream lines(PEREGRINE_FIXTURES "/event_query.txt");
  unsigned cases = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with('#')) continue;
    const auto first = line.find(" | "), second = line.find(" | ", first + 1);
    ASSERT_NE(second, line.npos) << line;
    const std::string text = line.substr(0, first), term = line.substr(first + 3, second - first - 3);
    const EventQuery::Subject subject{.event = text,
                                      .field = [&](std::string_view) { return std::optional(text); },
                                      .any_text = [](std::string_view) { return false; }};
    EXPECT_EQ(EventQuery(term).matches(subject), line.ends_with("yes")) << line;
    ++cases;
  }
  EXPECT_GT(cases, 30U);
}

TEST(EventQuery, KeepsQuotedWordsTogether) {
  EXPECT_FALSE(matches("\"bash switch\""));
  EXPECT_TRUE(EventQuery("  ").empty());
}

}  // namespace
}  // namespace peregrine
