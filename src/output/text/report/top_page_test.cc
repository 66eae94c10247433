#include "output/text/report/top_page.h"

#include <gtest/gtest.h>

#include <string_view>

namespace peregrine {
namespace {

const TopHeading kHeading{.samples_per_second = 7936,
                          .kernel = 9.5,
                          .lost = 1,
                          .all_lost = 12,
                          .event = "4000Hz cpu-clock",
                          .target = "all, 2 CPUs",
                          .own_cost = 0.4};

TEST(TopPage, HeadingIsThatOfLinuxPerfAndSaysWhatTopCosts) {
  EXPECT_EQ(
      top_heading(kHeading),
      "   PerfTop:    7936 irqs/sec  kernel: 9.5%  exact:  0.0% lost: 1/12 drop: 0/0 [4000Hz cpu-clock],  (all, 2 "
      "CPUs) self:  0.4% of a CPU");
}

TEST(TopPage, ShowsNoCostBeforeItIsMeasured) {
  TopHeading heading = kHeading;
  heading.own_cost.reset();
  EXPECT_TRUE(top_heading(heading).ends_with(",  (all, 2 CPUs)")) << top_heading(heading);
}

TEST(TopPage, TitlesOfNarrowScreensKeepTheCost) {
  EXPECT_EQ(top_title(kHeading, "", 200), top_heading(kHeading).substr(3));
  EXPECT_EQ(top_title(kHeading, "", 100),
            "PerfTop:    7936 irqs/sec  kernel: 9.5% lost: 1/12 drop: 0/0 [4000Hz cpu-clock] self:  0.4% of a CPU");
  EXPECT_EQ(top_title(kHeading, "", 80), "PerfTop:    7936 irqs/sec  kernel: 9.5% lost: 1/12 self:  0.4% of a CPU");
  EXPECT_EQ(top_title(kHeading, "paused", 80),
            "[paused] PerfTop:    7936 irqs/sec  kernel: 9.5% lost: 1/12 self:  0.4% of a CPU");
  EXPECT_EQ(top_title(kHeading, "", 50), "PerfTop:    7936 irqs/sec self:  0.4% of a CPU");
}

TEST(TopPage, HeadingBreaksBetweenWords) {
  Sink out;
  print_top_heading(out, kHeading, 80);
  for (std::string_view rest = out.text(); !rest.empty(); rest.remove_prefix(rest.find('\n') + 1))
    EXPECT_LE(rest.find('\n'), 80u);
  EXPECT_TRUE(out.text().contains("drop: 0/0\n [4000Hz"));
}

TEST(TopPage, GuestsAreNamedWhereTheyWereSampled) {
  TopHeading heading = kHeading;
  heading.guests = true;
  EXPECT_TRUE(top_heading(heading).contains("us: 0.0% guest kernel: 0.0%"));
}

}  // namespace
}  // namespace peregrine
