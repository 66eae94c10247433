#include "output/text/sched/switch_map_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "analysis/sched/delay_histogram.h"
#include "analysis/sched/task_story.h"
#include "output/text/sched/sched_latency_text.h"
#include "output/text/sched/task_replay_text.h"

namespace peregrine {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;

const SwitchMapRow::Column kFourColumns[] = {{.cpu = 0, .cell = SwitchMapRow::Cell::Task, .name = "A0", .tid = 7},
                                             {.cpu = 1, .cell = SwitchMapRow::Cell::Idle},
                                             {.cpu = 2, .cell = SwitchMapRow::Cell::Other},
                                             {.cpu = 3, .cell = SwitchMapRow::Cell::Empty}};

SwitchMapRow switch_to_load() {
  return {.time = 5'001'000'999, .changed = 0, .tid = 7, .comm = "load\n", .columns = kFourColumns};
}

std::string switch_line(const SwitchMapRow& row, const SwitchMapLook& look = {}) {
  Sink out;
  print_switch(row, look, out);
  return out.take();
}

TEST(SwitchMapText, AStarMarksTheColumnThatChanged) {
  SwitchMapRow row = switch_to_load();
  EXPECT_EQ(switch_line(row), "  *A0  .   -            5.001000 secs \n");
  row.changed = 1;
  EXPECT_EQ(switch_line(row), "   A0 *.   -            5.001000 secs \n");
}

TEST(SwitchMapText, NewNamesAreExplained) {
  SwitchMapRow row = switch_to_load();
  row.introduces = true;
  EXPECT_THAT(switch_line(row), EndsWith(" secs A0 => load\\x0a:7\n"));
  row.changed = 1;
  row.comm = "swapper";
  row.tid = 0;
  EXPECT_THAT(switch_line(row), EndsWith(" secs .  => swapper:0\n"));
}

TEST(SwitchMapText, AllNamesAreExplainedOnRequestButNotIdle) {
  SwitchMapRow row = switch_to_load();
  EXPECT_THAT(switch_line(row, {.all_names = true}), EndsWith(" secs A0 => load\\x0a:7\n"));
  row.changed = 1;
  EXPECT_THAT(switch_line(row, {.all_names = true}), EndsWith(" secs \n"));
}

TEST(SwitchMapText, ACompactMapNamesTheCpuOfANewColumn) {
  SwitchMapRow row = switch_to_load();
  row.new_cpu = true;
  row.changed = 2;
  EXPECT_THAT(switch_line(row, {.compact = true}), EndsWith(" secs  (CPU 2)\n"));
  EXPECT_THAT(switch_line(row), EndsWith(" secs \n"));
}

TEST(SwitchMapText, ColoursChosenCpusAndTasks) {
  const SwitchMapLook look{.colored_cpus = {1, 3}, .colored_tasks = {0, 7}};
  EXPECT_THAT(switch_line(switch_to_load(), look),
              HasSubstr("  *\033[34mA0 \033[m\033[41m \033[m.   -  \033[41m \033[m   "))
      << "idle is no task, though its tid is 0";
}

std::string delay_histogram(const DelayHistogram& histogram) {
  Sink out;
  print_delay_histogram(histogram, out);
  return out.take();
}

TEST(DelayHistogramText, BarsAreRelativeToTheMostFrequentRange) {
  DelayHistogram histogram(DelayHistogram::Scale::Log);
  for (const u64 ns : {0, 1500, 1999, 4000}) histogram.add(ns);
  EXPECT_EQ(delay_histogram(histogram),
            "  Delays: 4\n"
            "  from (ms)     to (ms)       count        %\n"
            "      0.000 -     0.001 |         1 |  25.00% | ####################\n"
            "      0.001 -     0.002 |         2 |  50.00% | ########################################\n"
            "      0.002 -     0.004 |         0 |   0.00% | \n"
            "      0.004 -     0.008 |         1 |  25.00% | ####################\n\n");
}

TEST(DelayHistogramText, WithoutDelaysThereIsNoTable) {
  EXPECT_EQ(delay_histogram(DelayHistogram(DelayHistogram::Scale::Linear)), "  Delays: 0\n\n");
}

TEST(DelayHistogramText, GroupsDigitsAndWidensLinearRanges) {
  DelayHistogram histogram(DelayHistogram::Scale::Linear);
  for (int i = 0; i < 1234; ++i) histogram.add(62'000);
  EXPECT_EQ(delay_histogram(histogram),
            "  Delays: 1,234\n"
            "  from (ms)     to (ms)       count        %\n"
            "      0.062 -     0.064 |      1234 | 100.00% | ########################################\n\n");
}

TEST(TaskReplayText, CountsStepsByKind) {
  using enum StoryStep::Kind;
  const std::vector<StoryTask> tasks{
      {.tid = 7, .comm = "load", .steps = {{.kind = Run, .ns = 5}, {.kind = Sleep}, {.kind = Run}, {.kind = Wake}}},
      {.tid = 4711, .comm = "evil\x1b", .steps = {{.kind = Await}}}};
  Sink out;
  print_story_tasks(tasks, out);
  EXPECT_EQ(out.take(),
            "nr_run_events:        2\n"
            "nr_sleep_events:      2\n"
            "nr_wakeup_events:     1\n"
            "task      0 (                load:         7), nr_events: 4\n"
            "task      1 (            evil\\x1b:      4711), nr_events: 1\n"
            "------------------------------------------------------------\n");
  print_story_tasks({}, out);
  EXPECT_EQ(out.take(),
            "nr_run_events:        0\nnr_sleep_events:      0\nnr_wakeup_events:     0\n"
            "------------------------------------------------------------\n");
}

TEST(TaskReplayText, ShowsPrecisionAndRounds) {
  Sink out;
  print_replay_precision({.run_overhead = 1, .sleep_overhead = 2, .run_test = 1'000'003, .sleep_test = 4}, out);
  EXPECT_EQ(out.take(),
            "run measurement overhead: 1 nsecs\n"
            "sleep measurement overhead: 2 nsecs\n"
            "the run test took 1000003 nsecs\n"
            "the sleep test took 4 nsecs\n");
  print_replay_round({.number = 1, .ms = 1.0627, .mean = 2.5, .cpu_ms = 3.25, .cpu_mean = 4}, out);
  print_replay_round({.number = 1234}, out);
  EXPECT_EQ(out.take(),
            "#1  : 1.063, ravg: 2.50, cpu: 3.25 / 4.00\n"
            "#1234: 0.000, ravg: 0.00, cpu: 0.00 / 0.00\n");
}

}  // namespace
}  // namespace peregrine
