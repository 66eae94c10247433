#include "output/text/sched/schedstat_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace peregrine {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

SchedstatChange one_cpu() {
  return {.version = 16, .jiffies = 100, .cpus = {{.cpu = 3, .values = {10, 0, 200, 50, 40, 10, 1000, 250, 7}}}};
}

std::string schedstats(const SchedstatChange& change) {
  Sink out;
  print_schedstats(change, out);
  return out.take();
}

std::string schedstat_difference(const SchedstatChange& before, const SchedstatChange& after) {
  Sink out;
  print_schedstat_difference(before, after, out);
  return out.take();
}

TEST(Schedstats, ACpuHasItsCountersWithTheirSharesAndMeaning) {
  EXPECT_EQ(schedstats(one_cpu()),
            "Time elapsed: 100 jiffies\n"
            "average: jiffies between two events on one CPU or all; for lb_success, tasks moved per attempt\n"
            "\nCPU 3\n"
            "  counter                                count     share  meaning\n"
            "  yld_count                                 10            sched_yield() calls\n"
            "  sched_count                              200            schedule() calls\n"
            "  sched_goidle                              50    25.00%  schedule() calls that left the CPU idle\n"
            "  ttwu_count                                40            wake-ups\n"
            "  ttwu_local                                10    25.00%  wake-ups of a task on the same CPU\n"
            "  rq_cpu_time                             1000            task run time, in ns\n"
            "  run_delay                                250    25.00%  time tasks waited for the CPU, in ns\n"
            "  pcount                                     7            time slices run\n");
}

TEST(Schedstats, CountersThatAreMissingAreZeroAndSoAreTheirShares) {
  SchedstatChange change = one_cpu();
  change.cpus[0].values.clear();
  EXPECT_THAT(schedstats(change),
              HasSubstr("  sched_goidle                               0     0.00%  schedule() calls that left"));
}

TEST(Schedstats, SeveralCpusAreSummedFirst) {
  SchedstatChange change = one_cpu();
  EXPECT_THAT(schedstats(change), Not(HasSubstr("All CPUs")));
  change.cpus.push_back(change.cpus[0]);
  change.cpus[1].cpu = 7;
  const std::string text = schedstats(change);
  EXPECT_THAT(text, HasSubstr("\nAll CPUs (2)\n"));
  EXPECT_THAT(text, HasSubstr("sched_goidle                             100    25.00%"));
  EXPECT_LT(text.find("All CPUs (2)"), text.find("\nCPU 3\n"));
  EXPECT_LT(text.find("\nCPU 3\n"), text.find("\nCPU 7\n"));
}

TEST(Schedstats, DomainsHaveAveragesOfTheTimeBetweenAttempts) {
  SchedstatChange change = one_cpu();
  change.cpus[0].domains = {{.number = 0, .name = "MC\n", .cpus = "0-3", .values = {10, 4, 1, 77, 15}}};
  const std::string text = schedstats(change);
  EXPECT_THAT(
      text,
      HasSubstr("\nCPU 3, Domain 0 MC\\x0a, CPUs 0-3\n"
                "  counter                                count   average  meaning\n"
                " Load balancing by a busy CPU:\n"
                "  busy_lb_count                             10     10.00  attempts to balance\n"
                "  busy_lb_balanced                           4     25.00  found no imbalance\n"
                "  busy_lb_failed                             1    100.00  found an imbalance, but moved no task\n"
                "  busy_lb_imbalance                         77            sum of imbalances\n"
                "  busy_lb_gained                            15            tasks pulled\n"));
  EXPECT_THAT(text, HasSubstr("  busy_lb_success                            5      3.00  attempts that moved tasks; "
                              "average: tasks per attempt\n"));
  EXPECT_THAT(text, HasSubstr("  idle_lb_count                              0            attempts to balance\n"))
      << "what never happened has no average";
  EXPECT_THAT(text, HasSubstr(" Balancing on exec (not used):\n  sbe_count                                  0\n"));
}

// Version 16 of the kernel's format swapped the two blocks of counters.
TEST(Schedstats, TheVersionDecidesWhichCountersComeFirst) {
  SchedstatChange change = one_cpu();
  change.version = 15;
  change.cpus[0].domains = {{.number = 1, .values = {10}}};
  const std::string text = schedstats(change);
  EXPECT_THAT(text, HasSubstr("\nCPU 3, Domain 1\n")) << "domains have no names before version 17";
  EXPECT_THAT(
      text,
      HasSubstr(" Load balancing by an idle CPU:\n  idle_lb_count                             10     10.00  attempts"));
}

TEST(SchedstatDifference, ChangesAreInPercentOfTheFirst) {
  SchedstatChange after = one_cpu();
  after.jiffies = 50;
  after.cpus[0].values = {10, 0, 300, 150, 20, 0, 1000, 250, 7};
  EXPECT_EQ(schedstat_difference(one_cpu(), after),
            "Time elapsed: A 100 jiffies, B 50 jiffies\n"
            "average: jiffies between two events on one CPU or all; for lb_success, tasks moved per attempt\n"
            "\nCPU 3\n"
            "  counter                              count A         count B    change     share A   share B\n"
            "  yld_count                                 10              10     0.00%\n"
            "  sched_count                              200             300   +50.00%\n"
            "  sched_goidle                              50             150  +200.00%      25.00%    50.00%\n"
            "  ttwu_count                                40              20   -50.00%\n"
            "  ttwu_local                                10               0  -100.00%      25.00%     0.00%\n"
            "  rq_cpu_time                             1000            1000     0.00%\n"
            "  run_delay                                250             250     0.00%      25.00%    25.00%\n"
            "  pcount                                     7               7     0.00%\n");
}

TEST(SchedstatDifference, MarksCountersThatWereZeroAsNew) {
  SchedstatChange before = one_cpu();
  before.cpus[0].values[0] = 0;
  EXPECT_THAT(schedstat_difference(before, one_cpu()),
              HasSubstr("yld_count                                  0              10       new\n"));
}

TEST(SchedstatDifference, CountersOfOneVersionOnlyAreNotCompared) {
  SchedstatChange before = one_cpu(), after = one_cpu();
  before.cpus[0].domains = {{.number = 0, .values = {10, 4, 1, 77}}};
  after.version = 17;
  after.cpus[0].domains = {{.number = 0, .values = {10, 4, 1, 78}}, {.number = 1}};
  const std::string text = schedstat_difference(before, after);
  EXPECT_THAT(text, HasSubstr("  busy_lb_imbalance_load                     -              78\n"));
  EXPECT_THAT(
      text,
      HasSubstr("  counter                              count A         count B    change       avg A     avg B\n"));
  EXPECT_THAT(text, Not(HasSubstr("Domain 1"))) << "only B has it";
}

TEST(SchedstatDifference, CpusOfOneRecordingOnlyAreLeftOut) {
  SchedstatChange after = one_cpu();
  after.cpus.push_back(after.cpus[0]);
  after.cpus[1].cpu = 4;
  const std::string text = schedstat_difference(one_cpu(), after);
  EXPECT_THAT(text, HasSubstr("\nAll CPUs (2)\n"));
  EXPECT_THAT(text, HasSubstr("\nCPU 3\n"));
  EXPECT_THAT(text, Not(HasSubstr("\nCPU 4\n")));
}

}  // namespace
}  // namespace peregrine
