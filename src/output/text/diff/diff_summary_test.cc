#include "output/text/diff/diff_summary.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace peregrine {
namespace {

std::string total(std::string_view event, bool in_ns, const TotalChange& change) {
  Sink out;
  print_diff_totals(out, event, in_ns, std::vector{DiffTotal{"old.data", "new.data", change}});
  return std::string(out.text());
}

TEST(DiffSummary, SaysHowMuchLessAndHowSureThatIs) {
  EXPECT_EQ(total("cpu-clock:u", true, {1'420'000'000, 940'000'000, 0.662, {0.63, 0.69}}),
            "# new.data: 34% less CPU time than old.data: 0.940 s, was 1.420 s (95% confidence: 31% to 37% less)\n#\n");
  EXPECT_EQ(total("cycles", false, {1'000'000, 1'120'000, 1.12, {1.05, 1.19}}),
            "# new.data: 12% more CPU cycles than old.data: 1,120,000, was 1,000,000 (95% confidence: 5.0% to 19% "
            "more)\n#\n");
  EXPECT_EQ(total("page-faults", false, {100, 330, 3.3, {2.9, 3.7}}),
            "# new.data: 3.3 times the events of old.data: 330, was 100 (95% confidence: 2.9 to 3.7 times)\n#\n");
}

TEST(DiffSummary, SaysWhenNothingIsProved) {
  EXPECT_EQ(total("page-faults", false, {100, 99, 0.99, {0.9, 1.08}}),
            "# new.data: no significant change in events from old.data: 99, was 100 (95% confidence: 10% fewer to 8.0% "
            "more)\n#\n");
}

TEST(DiffSummary, NamesBinariesThatAreBuildsOfOneProgram) {
  Sink out;
  print_build_pairs(out, std::vector<BuildPair>{{"sort-old", "sort-new"}, {"libz.so", "libz.so"}});
  EXPECT_EQ(out.text(),
            "# Compared as one program: sort-old and sort-new\n"
            "# Different builds, compared by function name: libz.so\n#\n");
}

}  // namespace
}  // namespace peregrine
