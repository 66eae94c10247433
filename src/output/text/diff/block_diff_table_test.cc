#include "output/text/diff/block_diff_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string_view>
#include <vector>

#include "analysis/function/call_statistics.h"
#include "base/types.h"
#include "output/text/trace/function_text.h"

namespace peregrine {
namespace {

using ::testing::HasSubstr;

ComparedBlock slower_block() {
  return {.dso = "prog",
          .symbol = "main",
          .start = "a.c:1",
          .end = "a.c:3",
          .share = 12.5,
          .sides = {{.counts = {{10, 2}}}, {.counts = {{14, 2}}}}};
}

std::string block_diff(const std::vector<ComparedBlock>& blocks, std::size_t sides = 2,
                       const BlockDiffText& style = {}) {
  Sink out;
  print_block_diff(out, blocks, sides, style);
  return out.take();
}

TEST(BlockDiffTable, HasTheChangeOfCyclesBehindTheBlock) {
  EXPECT_EQ(
      block_diff({slower_block()}),
      "# Baseline                                       [Program Block Range] Cycles Diff  Shared Object  Symbol  \n"
      "# ........  ......................................................................  .............  ........\n#\n"
      "    12.50%                                                   [a.c:1 -> a.c:3]    4  prog           [.] main\n");
}

TEST(BlockDiffTable, ABlockThatARecordingLacksHasNoChange) {
  ComparedBlock block = slower_block();
  block.sides[1].counts.clear();
  EXPECT_THAT(block_diff({block}),
              HasSubstr("                                                      [a.c:1 -> a.c:3]  prog"));
  block = slower_block();
  block.sides[0].counts = {{20, 1}};
  EXPECT_THAT(block_diff({block}),
              HasSubstr("                                                 [a.c:1 -> a.c:3]   -6  prog"));
}

TEST(BlockDiffTable, SeparatedValuesHaveNoPaddingAndNoPercentSign) {
  EXPECT_EQ(block_diff({slower_block()}, 2, {.separator = ";"}),
            "# Baseline;[Program Block Range] Cycles Diff;Shared Object;Symbol\n"
            "12.50;[a.c:1 -> a.c:3]    4;prog;[.] main\n");
  EXPECT_EQ(block_diff({}, 2, {.separator = ";", .titles = false}), "");
}

TEST(BlockDiffTable, SeveralRecordingsAreNumbered) {
  ComparedBlock block = slower_block();
  block.sides.push_back({.counts = {{9, 1}}});
  EXPECT_EQ(block_diff({block}, 3, {.separator = ";"}),
            "# Baseline;[Program Block Range] Cycles Diff/1;[Program Block Range] Cycles Diff/2;Shared Object;Symbol\n"
            "12.50;[a.c:1 -> a.c:3]    4;[a.c:1 -> a.c:3]   -1;prog;[.] main\n");
}

TEST(BlockDiffTable, TheSpreadIsAnErrorAndEightBars) {
  EXPECT_EQ(block_diff({slower_block()}, 2, {.separator = ";", .titles = false, .spread = true}),
            "12.50;[a.c:1 -> a.c:3]    4;±  0.0% █       ;prog;[.] main\n");
  ComparedBlock block = slower_block();
  block.sides[1].counts.clear();
  EXPECT_EQ(block_diff({block}, 2, {.separator = ";", .titles = false, .spread = true}),
            "12.50;[a.c:1 -> a.c:3];;prog;[.] main\n");
}

TEST(BlockDiffTable, NamesOfTheRecordingCannotMoveTheTerminal) {
  ComparedBlock block = slower_block();
  block.symbol = "ma\x1b[2Jin";
  block.dso = std::string(20, 'd');
  EXPECT_THAT(block_diff({block}), HasSubstr("  dddddddddddddddddddd  [.] ma\\x1b[2Jin\n"));
}

TEST(FunctionProfileText, TimesAreMicroseconds) {
  Sink out;
  print_function_profile({{.function = "vfs_read", .calls = 4, .total = 10'000, .most = 7'001}, {.function = "never"}},
                         out);
  EXPECT_EQ(out.take(),
            "# Total (us)   Avg (us)   Max (us)      Count   Function\n"
            "      10.000      2.500      7.001          4   vfs_read\n"
            "       0.000      0.000      0.000          0   never\n");
}

std::string duration_histogram(const DurationHistogram& histogram, std::string_view unit, bool hide_empty = true) {
  Sink out;
  print_duration_histogram(histogram, unit, hide_empty, out);
  return out.take();
}

TEST(DurationHistogramText, SaysThatThereIsNothing) {
  EXPECT_EQ(duration_histogram(DurationHistogram(1000), "us"), "No data found\n");
}

TEST(DurationHistogramText, LargeRangesHaveALargerUnitAndTheLastNoEnd) {
  DurationHistogram histogram(1000);
  for (const u64 ns : {500, 1500, 3'000'000, 2'000'000'000}) histogram.add(ns);
  EXPECT_EQ(
      duration_histogram(histogram, "us"),
      "#   DURATION     |      COUNT | GRAPH                                          |\n"
      "     0 - 1    us |          1 | ###########                                    |\n"
      "     1 - 2    us |          1 | ###########                                    |\n"
      "     2 - 4    ms |          1 | ###########                                    |\n"
      "     1 - ...  s  |          1 | ###########                                    |\n"
      "\n# calls: 4  total: 2003002.000 us  average: 500750.500 us  shortest: 0.500 us  longest: 2000000.000 us\n");
}

TEST(DurationHistogramText, EmptyRangesAreShownUnlessHidden) {
  DurationHistogram histogram(1, 100, 0, 200);
  histogram.add(150);
  EXPECT_EQ(duration_histogram(histogram, "ns", true),
            "#   DURATION     |      COUNT | GRAPH                                          |\n"
            "   100 - 200  ns |          1 | ############################################## |\n"
            "\n# calls: 1  total: 150.000 ns  average: 150.000 ns  shortest: 150.000 ns  longest: 150.000 ns\n");
  EXPECT_THAT(duration_histogram(histogram, "ns", false),
              HasSubstr("     0 - 100  ns |          0 |                                                |\n"));
}

}  // namespace
}  // namespace peregrine
