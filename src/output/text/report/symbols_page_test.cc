#include "output/text/report/symbols_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "analysis/field/field_tally.h"
#include "analysis/hist/chain/branch_sums.h"
#include "output/text/report/branch_text.h"
#include "output/text/script/field_text.h"

namespace peregrine {
namespace {

using ::testing::HasSubstr;

std::string symbols_page(const std::vector<SymbolsRow>& rows) {
  Sink out;
  print_symbols_page(out, rows);
  return out.take();
}

std::string symbols_titles() {
  return "#  Samples   No name    Share  Build-id                                  Object\n"
         "# ........  ........  .......  ........................................  ................\n#\n";
}

TEST(SymbolsPage, EachSourceSaysWhatItGaveOrWhyItWasNotTaken) {
  const std::vector<SymbolSource> tried{{.path = "/usr/lib/debug/prog\n", .miss = MissReason::Absent},
                                        {.path = "/opt/prog", .gave = SymbolSet::Exported},
                                        {.path = "/tmp/perf-7.map", .gave = SymbolSet::All}};
  const std::vector<SymbolsRow> rows{{.dso = "/opt/prog",
                                      .build_id = "00ff",
                                      .samples = 90,
                                      .unnamed = 30,
                                      .tried = tried,
                                      .why = "it is stripped",
                                      .remedy = "install prog-dbg"},
                                     {.dso = "[vdso]\x1b", .samples = 10, .unnamed = 10}};
  EXPECT_EQ(symbols_page(rows),
            "# Samples: 100, without a name: 40 (40.00%)\n#\n" + symbols_titles() +
                "        90        30   75.00%  00ff                                      /opt/prog\n"
                "            tried    /usr/lib/debug/prog\\x0a: no such file\n"
                "            exports  /opt/prog\n"
                "            used     /tmp/perf-7.map\n"
                "            why      it is stripped\n"
                "            do       install prog-dbg\n"
                "        10        10   25.00%  -                                         [vdso]\\x1b\n");
}

TEST(SymbolsPage, WithoutSamplesSharesAreZero) {
  EXPECT_EQ(symbols_page({}), "# Samples: 0, without a name: 0 (0.00%)\n#\n" + symbols_titles());
  EXPECT_THAT(symbols_page({{.dso = "x", .samples = 5}}), HasSubstr("         5         0    0.00%  -"));
}

TEST(BranchText, MarksCallersAsCallTrace) {
  EXPECT_EQ(branch_text({}), " (calltrace)");
  EXPECT_EQ(branch_text({.cycles = 8, .target = true}), " (calltrace)");
}

TEST(BranchText, ATargetHasKindsAndTheShareThatWasPredicted) {
  EXPECT_EQ(branch_text({.ends = 40, .predicted = 40, .target = true}), "") << "nothing remarkable";
  EXPECT_EQ(
      branch_text(
          {.ends = 40, .predicted = 39, .aborted = 10, .kinds = kBranchForward | kBranchCrosses4K | 2, .target = true}),
      " (COND_FWD CROSS_4K predicted:97.5% abort:25.0%)")
      << "a conditional branch is named by its direction";
  EXPECT_EQ(branch_text({.ends = 1, .predicted = 1, .kinds = kBranchBackward | kBranchCrosses2M, .target = true}),
            " (COND_BWD CROSS_2M)");
}

TEST(BranchText, ASourceHasMeansOfCyclesAndRounds) {
  EXPECT_EQ(branch_text({.ends = 4, .left = 4, .cycles = 19, .rounds = 9, .round_cycles = 63}),
            " (cycles:4 iter:2 avg_cycles:7)");
  EXPECT_EQ(branch_text({.ends = 4, .cycles = 3, .rounds = 9}), "") << "means of less than 1 are left out";
}

std::string tally(const std::vector<TallyRow>& rows, const TallyTitles& titles) {
  Sink out;
  print_tally(rows, titles, out);
  return out.take();
}

TEST(Tally, CountsSamplesOrSumsAField) {
  const std::vector<TallyRow> rows{{.key = "load\n", .count = 3, .sum = 7}, {.key = "", .count = 0, .sum = 0}};
  EXPECT_EQ(tally(rows, {.key = "next_comm"}), "       count  next_comm\n           3  load\\x0a\n           0  \n");
  EXPECT_EQ(tally(rows, {.key = "next_comm", .value = "bytes_req"}),
            "       count         sum bytes_req         average  next_comm\n"
            "           3                     7             2.3  load\\x0a\n"
            "           0                     0             0.0  \n");
  EXPECT_EQ(tally({}, {}), "       count\n");
}

TEST(Tally, SumsMayExceed64Bits) {
  i128 most = ~u64{0};
  const std::vector<TallyRow> rows{{.count = 2, .sum = -5}, {.count = 2, .sum = most + most}};
  EXPECT_EQ(tally(rows, {.value = "ret"}),
            "       count               sum ret         average\n"
            "           2                    -5            -2.5\n"
            "           2  36893488147419103230  18446744073709551616.0\n");
}

}  // namespace
}  // namespace peregrine
