#include "analysis/chart/time_chart.h"

#include <gtest/gtest.h>

#include <utility>

namespace peregrine {
namespace {

ChartTask ran(u32 pid, u32 tid, std::string comm, u64 time) {
  ChartTask task;
  task.pid = pid;
  task.tid = tid;
  task.comm = std::move(comm);
  task.spans.push_back({{0, time}, TaskState::Running});
  task.times[static_cast<std::size_t>(TaskState::Running)] = time;
  return task;
}

TimeChart chart_of_tasks() {
  TimeChart chart;
  chart.tasks = {ran(0, 40, "late", 20'000'000), ran(30, 31, "thread", 2'000'000), ran(30, 30, "main", 50'000),
                 ran(10, 10, "rare", 7)};
  chart.tasks[2].former = {"sh"};
  return chart;
}

TEST(TimeChart, TheBusiestTasksAreChosenUntilThereAreEnough) {
  const TimeChart chart = chart_of_tasks();
  EXPECT_EQ(chosen_tasks(chart, {.wanted = {}, .least = 1}, false), (std::vector<u32>{0}));
  EXPECT_EQ(chosen_tasks(chart, {.wanted = {}, .least = 2}, false), (std::vector<u32>{1, 0}));
  EXPECT_EQ(chosen_tasks(chart, {.wanted = {}, .least = 9}, false), (std::vector<u32>{3, 2, 1, 0}));
  EXPECT_TRUE(chosen_tasks(chart, {.wanted = {}, .least = 9}, true).empty()) << "none did I/O";
}

TEST(TimeChart, TasksAreChosenByAnyNamePidOrTid) {
  const TimeChart chart = chart_of_tasks();
  EXPECT_EQ(chosen_tasks(chart, {.wanted = {"sh"}}, false), (std::vector<u32>{2}));
  EXPECT_EQ(chosen_tasks(chart, {.wanted = {"30"}}, false), (std::vector<u32>{2, 1}));
  EXPECT_EQ(chosen_tasks(chart, {.wanted = {"31", "late"}}, false), (std::vector<u32>{1, 0}));
  EXPECT_TRUE(chosen_tasks(chart, {.wanted = {"0"}}, false).empty()) << "a pid that nobody told";
}

TEST(TimeChart, CpusOfACoreStandBesideEachOther) {
  TimeChart chart;
  for (u32 number = 0; number < 5; ++number) chart.cpus.emplace_back().number = number;
  data::CpuTopology topology;
  topology.cpus = {{0, 0, 0}, {1, 0, 0}, {0, 0, 0}, {1, 0, 0}};
  order_by_topology(chart, topology);
  std::vector<u32> order;
  for (const ChartCpu& cpu : chart.cpus) order.push_back(cpu.number);
  EXPECT_EQ(order, (std::vector<u32>{4, 0, 2, 1, 3})) << "of CPU 4 nothing is known";
  EXPECT_EQ(chart.cpus[3].place, "socket 0, core 1");
  EXPECT_EQ(chart.cpus[0].place, "");
}

}  // namespace
}  // namespace peregrine
