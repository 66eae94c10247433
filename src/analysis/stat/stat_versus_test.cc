#include "analysis/stat/stat_versus.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <limits>
#include <map>
#include <utility>

#include "abi/attr.h"
#include "analysis/stat/run_stats.h"
#include "analysis/stat/student.h"
#include "capture/counter.h"
#include "event/spec.h"

namespace peregrine {
namespace {

// Values from printed tables of the t distribution.
TEST(Student, AgreesWithPrintedTables) {
  EXPECT_NEAR(student_quantile(0.95, 1), 12.706, 1e-3);
  EXPECT_NEAR(student_quantile(0.95, 9), 2.262, 1e-3);
  EXPECT_NEAR(student_quantile(0.99, 19), 2.861, 1e-3);
  EXPECT_NEAR(student_quantile(0.95, 1000), 1.962, 1e-3);
  EXPECT_NEAR(student_two_sided(2.262, 9), 0.05, 1e-4);
  EXPECT_NEAR(student_two_sided(1, 1), 0.5, 1e-9);
  EXPECT_DOUBLE_EQ(student_two_sided(0, 5), 1);
  EXPECT_DOUBLE_EQ(student_two_sided(HUGE_VAL, 5), 0);
}

class Versus : public ::testing::Test {
 protected:
  Versus() {
    for (const char* name : {"page-faults", "context-switches"}) {
      EventSpec spec;
      spec.name = name;
      spec.attr.type = 1;
      spec.attr.config = events_.size() + 2;
      events_.push_back(spec);
    }
  }
  StatTable run(u64 faults, u64 switches, bool counted = true) const {
    StatTable table(events_, {true, true}, {});
    table.add_run(
        std::vector<CounterReading>{{0, -1, 1, faults, 10, 10}, {1, -1, 1, switches, 10, counted ? u64{10} : 0}},
        {.wall_ns = 1'000'000});
    return table;
  }
  EventList events_;
};

TEST_F(Versus, RatioWithItsInterval) {
  StatVersus versus;
  const u64 a[] = {100, 102, 98, 101, 99}, b[] = {210, 200, 190, 205, 195};
  for (std::size_t i = 0; i < 5; ++i) versus.add_pair(run(a[i], 7), run(b[i], 7));
  const auto rows = versus.rows();
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0].name, "page-faults");
  EXPECT_DOUBLE_EQ(rows[0].mean_a, 100);
  EXPECT_DOUBLE_EQ(rows[0].mean_b, 200);
  EXPECT_NEAR(rows[0].ratio.value_or(0), 2, 0.01);
  EXPECT_NEAR(rows[0].low.value_or(0), 1.9202, 0.001);
  EXPECT_NEAR(rows[0].high.value_or(0), 2.0809, 0.001);
  EXPECT_TRUE(rows[0].is_real);
  // Equal in all runs.
  EXPECT_DOUBLE_EQ(rows[1].ratio.value_or(0), 1);
  EXPECT_DOUBLE_EQ(rows[1].chance, 1);
  EXPECT_FALSE(rows[1].is_real);
  EXPECT_EQ(rows[2].name, "seconds elapsed");
}

TEST_F(Versus, JudgesChangesFromZeroByDifference) {
  StatVersus versus;
  for (const u64 more : {3u, 4u, 5u, 4u}) versus.add_pair(run(10, 0), run(10, more));
  const VersusRow row = versus.rows()[1];
  EXPECT_FALSE(row.ratio);
  EXPECT_NEAR(row.low.value_or(0), 4 - 3.182 * 0.408, 0.01);
  EXPECT_TRUE(row.is_real);
}

TEST_F(Versus, NoiseIsNotReal) {
  StatVersus versus;
  const u64 a[] = {100, 130, 90, 105}, b[] = {120, 95, 110, 100};
  for (std::size_t i = 0; i < 4; ++i) versus.add_pair(run(a[i], 7), run(b[i], 7));
  EXPECT_FALSE(versus.rows()[0].is_real);
}

TEST_F(Versus, OnePairHasNoInterval) {
  StatVersus versus;
  versus.add_pair(run(1, 1), run(2, 1));
  EXPECT_DOUBLE_EQ(versus.rows()[0].ratio.value_or(0), 2);
  EXPECT_FALSE(versus.rows()[0].low);
  EXPECT_FALSE(versus.rows()[0].is_real);
}

TEST_F(Versus, LeavesOutWhatDidNotCount) {
  StatVersus versus;
  versus.add_pair(run(1, 1), run(2, 1));
  versus.add_pair(run(1, 1), run(2, 1, false));
  EXPECT_EQ(versus.rows().size(), 2u);
  EXPECT_EQ(versus.left_out(), std::vector<std::string>{"context-switches"});
}

// W-01 of the course: an indirect call and the retpoline that replaces it, 10^9 calls each, with the printed counts and
// one per cent of noise. The course had to compare them by eye.
TEST(VersusOfTheCourse, ARetpolineMispredictsEveryCall) {
  EventList events;
  for (const auto& [name, which] :
       {std::pair{"cycles:u", 0u}, {"instructions:u", 1u}, {"branch-instructions:u", 4u}, {"branch-misses:u", 5u}}) {
    EventSpec spec;
    spec.name = name;
    spec.attr.config = which;
    spec.attr.set(abi::attr_flag::ExcludeKernel);
    events.push_back(spec);
  }
  const auto run = [&](std::vector<double> counts, double seconds, double noise) {
    std::vector<CounterReading> readings;
    for (std::size_t i = 0; i < counts.size(); ++i)
      readings.push_back({i, -1, 1, static_cast<u64>(counts[i] * (i == 0 ? noise : 1)), 100, 100});
    StatTable table(events, {true, true, true, true}, {});
    table.add_run(readings, {.wall_ns = static_cast<u64>(seconds * noise * 1e9)});
    return table;
  };
  StatVersus versus;
  for (const double noise : {1.0, 1.01, 0.99, 1.005, 0.995})
    versus.add_pair(run({88.8e9, 48.95e9, 10.999e9, 47'023}, 23.82, noise),
                    run({117.3e9, 52.98e9, 13.995e9, 999'647'584}, 31.52, 2 - noise));
  std::map<std::string, VersusRow> rows;
  for (VersusRow& row : versus.rows()) rows[row.name] = row;
  EXPECT_NEAR(rows["seconds elapsed"].ratio.value_or(0), 1.323, 0.001);
  EXPECT_TRUE(rows["seconds elapsed"].is_real);
  EXPECT_NEAR(rows["branch-misses:u"].mean_b - rows["branch-misses:u"].mean_a, 1e9, 1e6);  // one per iteration
  EXPECT_NEAR(rows["branch-misses:u of all branches"].mean_b, 7.14, 0.005);
  EXPECT_NEAR(rows["branch-misses:u of all branches"].mean_a, 0, 0.001);
  EXPECT_NEAR(rows["insn per cycle"].mean_a, 0.55, 0.005);
  EXPECT_NEAR(rows["insn per cycle"].mean_b, 0.45, 0.005);
  for (const auto& [name, row] : rows) EXPECT_TRUE(row.is_real) << name;
}

TEST(StudentTwoSided, IsTheInverseOfTheQuantile) {
  for (const double freedom : {1.0, 2.5, 30.0, 1000.0})
    for (const double confidence : {0.5, 0.9, 0.999})
      EXPECT_NEAR(student_two_sided(student_quantile(confidence, freedom), freedom), 1 - confidence, 1e-9);
}

TEST(StudentTwoSided, DoesNotDependOnTheSign) {
  EXPECT_EQ(student_two_sided(0, 5), 1);
  EXPECT_DOUBLE_EQ(student_two_sided(-2, 5), student_two_sided(2, 5));
  EXPECT_GT(student_two_sided(2, 5), student_two_sided(2.1, 5));
}

TEST(StudentTwoSided, AcceptsNonFiniteNumbers) {
  constexpr double kInfinite = std::numeric_limits<double>::infinity(),
                   kNone = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(student_two_sided(kNone, 5), 1);
  EXPECT_EQ(student_two_sided(1, 0), 1);
  EXPECT_EQ(student_two_sided(1, kNone), 1);
  EXPECT_EQ(student_two_sided(-kInfinite, 5), 0);
}

TEST(RunStats, HasNoSpreadBelowTwoValues) {
  RunStats stats;
  EXPECT_EQ(stats.mean(), 0);
  EXPECT_EQ(stats.error(), 0);
  stats.add(5);
  EXPECT_EQ(stats.mean(), 5);
  EXPECT_EQ(stats.error(), 0);
  EXPECT_EQ(stats.error_percent(), 0);
}

TEST(RunStats, DividesTheDeviationByTheRootOfTheCount) {
  RunStats stats;
  for (const double value : {2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0}) stats.add(value);
  EXPECT_EQ(stats.count(), 8u);
  EXPECT_DOUBLE_EQ(stats.mean(), 5);
  EXPECT_NEAR(stats.error(), std::sqrt(32.0 / 7 / 8), 1e-12);
  EXPECT_NEAR(stats.error_percent(), 20 * stats.error(), 1e-12);
}

TEST(RunStats, KeepsASmallSpreadOfLargeValues) {
  RunStats stats;
  for (const double value : {1e15 + 1, 1e15 + 2, 1e15 + 3}) stats.add(value);
  EXPECT_NEAR(stats.error(), std::sqrt(1.0 / 3), 1e-3);
}

TEST(RunStats, AMeanOfZeroHasNoPercentage) {
  RunStats stats;
  stats.add(-1);
  stats.add(1);
  EXPECT_EQ(stats.error_percent(), 0);
}

}  // namespace
}  // namespace peregrine
