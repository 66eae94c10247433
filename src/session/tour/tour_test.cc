#include "session/tour/tour.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <string_view>

namespace peregrine {
namespace {

TEST(Tour, HasFiveStepsThatGoOnWithOneRecording) {
  const auto steps = tour_steps();
  ASSERT_EQ(steps.size(), 5u);
  EXPECT_EQ(tour_command(steps[0], "perf"),
            "perf stat -e task-clock,context-switches,page-faults -- perf test -w tour 1");
  for (std::size_t i = 1; i < steps.size(); ++i) EXPECT_TRUE(steps[i].arguments.contains(kTourRecording)) << i;
  EXPECT_TRUE(steps.back().arguments.contains(kTourPicture));
  for (const TourStep& step : steps) EXPECT_FALSE(step.text.empty() || step.remark.empty()) << step.arguments;
}

TEST(Tour, ExcerptBeginsAtALineAndOmitsTips) {
  constexpr std::string_view kOutput =
      "# head\n#\n# Overhead  Symbol\n#\n   75%  a\n\n\n   25%  b\n   1%  c\n\n# (Tip: x)\n";
  EXPECT_EQ(tour_excerpt({.from = "# Overhead"}, kOutput), "# Overhead  Symbol\n   75%  a\n\n   25%  b\n   1%  c\n");
  EXPECT_EQ(tour_excerpt({.from = "# Overhead", .lines = 2}, kOutput), "# Overhead  Symbol\n   75%  a\n…\n");
  EXPECT_EQ(tour_excerpt({}, "\n\n one\n\n"), " one\n");
  EXPECT_EQ(tour_excerpt({.from = "nothing"}, kOutput), "");
}

TEST(Tour, ExcerptOfCodeHasItsHotLines) {
  EXPECT_EQ(tour_excerpt({.hot = true}, "   : a\n   0.50 : b\n  97.30 : c\n"), "  97.30 : c\n");
}

}  // namespace
}  // namespace peregrine
