#include "output/profile/callgrind.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "base/types.h"
#include "support/profile_words.h"

namespace peregrine {
namespace {

using support::ProfileWords;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

std::string callgrind_text(const Profile& profile) {
  Sink out;
  print_callgrind(out, profile, call_costs(profile));
  return out.take();
}

TEST(Callgrind, HeadNamesTheEventsAndTheirSums) {
  ProfileWords words;
  words.profile.command = "perf record ./load";
  words.profile.events.push_back(
      {.name = "sched:sched_switch", .nanoseconds = false, .instant = true, .samples = 0, .period = 0});
  const u32 load = words.thread("load", 7, 7);
  words.sample(load, {"main"}, 250);
  words.sample(load, {"main"}, 1, 0, 1);
  EXPECT_THAT(callgrind_text(words.profile), StartsWith("# callgrind format\nversion: 1\ncreator: test\n"
                                                        "cmd: perf record ./load\npositions: line\n"
                                                        "event: cpu_clock : cpu-clock (ns)\n"
                                                        "event: sched_sched_switch : sched:sched_switch\n"
                                                        "event: Samples : samples\n"
                                                        "events: cpu_clock sched_sched_switch Samples\n"
                                                        "summary: 250 1 2\n"));
}

TEST(Callgrind, WritesQuestionMarksForUnknownFiles) {
  ProfileWords words;
  words.sample(words.thread("load", 7, 7), {"?"}, 3);
  EXPECT_THAT(callgrind_text(words.profile), HasSubstr("ob=(1) /opt/prog\nfl=("));
  EXPECT_THAT(callgrind_text(words.profile), HasSubstr(") ???\nfn=("));
}

// The self costs of all functions add up to the total, whatever the calls.
TEST(Callgrind, OwnCostsAddUpToTheTotals) {
  ProfileWords words;
  const u32 load = words.thread("load", 7, 7), other = words.thread("idle", 8, 8);
  const std::vector<std::vector<std::string_view>> stacks = {
      {"main@m.c:1", "a@m.c:5", "b@b.c:2"}, {"main@m.c:2", "a@m.c:5"}, {"b@b.c:2", "b@b.c:3"}, {"?"}, {}, {"k:sys"}};
  u64 whole = 0;
  for (u64 at = 0; at < 40; ++at) {
    words.sample(at % 3 == 0 ? load : other, stacks[at * 5 % stacks.size()], at);
    whole += at;
  }
  u64 own = 0;
  bool is_call = false;  // the line after "calls=" has inclusive costs
  std::istringstream lines(callgrind_text(words.profile));
  for (std::string line; std::getline(lines, line);) {
    const bool has_costs = !line.empty() && line[0] >= '0' && line[0] <= '9';
    u64 place = 0, cost = 0;
    if (has_costs && !is_call) {
      ASSERT_TRUE(std::istringstream(line) >> place >> cost) << line;
      own += cost;
    }
    is_call = line.starts_with("calls=");
    if (line.starts_with("totals: ")) {
      EXPECT_EQ(line, fmt::format("totals: {} 40", whole));
    }
  }
  EXPECT_EQ(own, whole);
}

TEST(Callgrind, NamesAreWrittenOnceAndStayOnTheirLine) {
  ProfileWords words;
  words.profile.command = "perf\nfn=(9) evil";
  const u32 load = words.thread("load", 7, 7);
  words.sample(load, {"ma\nin@m\n.c:1", "wo\x1brk"}, 1);
  words.sample(load, {"ma\nin@m\n.c:1"}, 1);
  const std::string text = callgrind_text(words.profile);
  EXPECT_THAT(text, HasSubstr(" ma\\x0ain\n"));
  EXPECT_THAT(text, HasSubstr(" m\\x0a.c\n"));
  EXPECT_THAT(text, HasSubstr(" wo\\x1brk\n"));
  EXPECT_THAT(text, Not(HasSubstr("\nfn=(9) evil")));
  EXPECT_EQ(text.find("ma\\x0ain"), text.rfind("ma\\x0ain")) << "then it is a number";
}

TEST(Callgrind, AProfileWithoutSamplesHasASum) {
  EXPECT_THAT(callgrind_text(ProfileWords().profile), HasSubstr("events: Samples\nsummary: 0\n"));
}

}  // namespace
}  // namespace peregrine
