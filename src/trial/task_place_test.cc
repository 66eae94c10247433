#include <gtest/gtest.h>

#include <string_view>
#include <vector>

#include "base/result.h"
#include "trial/numa_memory.h"

namespace peregrine {
namespace {

using CpusOfTasks = std::vector<std::vector<int>>;

TEST(TaskCpus, ARangeIsATaskForEachCpu) {
  EXPECT_EQ(parse_task_cpus("3").value(), (CpusOfTasks{{3}}));
  EXPECT_EQ(parse_task_cpus("1-3").value(), (CpusOfTasks{{1}, {2}, {3}}));
  EXPECT_EQ(parse_task_cpus("0-6%3").value(), (CpusOfTasks{{0}, {3}, {6}}));
  EXPECT_EQ(parse_task_cpus("0-5%3").value(), (CpusOfTasks{{0}, {3}}));
  EXPECT_EQ(parse_task_cpus("2-2").value(), (CpusOfTasks{{2}}));
}

TEST(TaskCpus, ALengthBindsATaskToSeveralCpus) {
  EXPECT_EQ(parse_task_cpus("4#3").value(), (CpusOfTasks{{4, 5, 6}}));
  EXPECT_EQ(parse_task_cpus("0-3%2#2").value(), (CpusOfTasks{{0, 1}, {2, 3}}));
}

TEST(TaskCpus, ARepetitionRepeatsTheWholeRange) {
  EXPECT_EQ(parse_task_cpus("1x3").value(), (CpusOfTasks{{1}, {1}, {1}}));
  EXPECT_EQ(parse_task_cpus("0-1x2,7").value(), (CpusOfTasks{{0}, {1}, {0}, {1}, {7}}));
}

TEST(TaskCpus, MistakesAreNamedWithAnExample) {
  const auto mistake = [](std::string_view text) {
    const auto tasks = parse_task_cpus(text);
    return tasks ? "no mistake" : tasks.error().message;
  };
  EXPECT_EQ(mistake("3-1"), "invalid list '3-1'");
  EXPECT_EQ(mistake("0,cpu1"), "invalid list 'cpu1'");
  EXPECT_EQ(mistake("1,"), "invalid list ''");
  for (const char* wrong : {"0%0", "0#0", "0x0", "0y2", "0-", "-1", " 0", "4097"})
    EXPECT_FALSE(parse_task_cpus(wrong)) << wrong;
  EXPECT_TRUE(parse_task_cpus("4096"));
  const auto error = parse_task_cpus("").error();
  EXPECT_EQ(error.kind, ErrorKind::Usage);
  EXPECT_EQ(error.hint, "such as 0, 0-3, 0-7%2, 0#4 or 1x8, separated by commas");
}

TEST(TaskCpus, AreOfABoundedNumberOfTasks) {
  EXPECT_EQ(parse_task_cpus("0x4096,0x4096").value().size(), 4096u);
  EXPECT_EQ(parse_task_nodes("0-4096").value().size(), 4096u);
}

TEST(TaskNodes, AreOneForEachTask) {
  EXPECT_EQ(parse_task_nodes("0-3%2").value(), (std::vector<int>{0, 2}));
  EXPECT_EQ(parse_task_nodes("1x2,0").value(), (std::vector<int>{1, 1, 0}));
  EXPECT_EQ(parse_task_nodes("node0").error().message, "invalid list 'node0'");
  EXPECT_EQ(parse_task_nodes("1,0#4").error().message, "'#4' in '1,0#4': a task can have only one node");
}

TEST(StrayNodes, CountsThoseBeyondTheFirstOfEachProcess) {
  const auto stray = [](unsigned processes, unsigned threads, const std::vector<int>& nodes) {
    std::vector<NumaTask> tasks;
    for (const int node : nodes) tasks.push_back({.node = node});
    return stray_nodes({.processes = processes, .threads = threads}, tasks);
  };
  EXPECT_EQ(stray(1, 4, {2, 2, 2, 2}), 0u);
  EXPECT_EQ(stray(1, 4, {0, 1, 2, 1}), 2u);
  EXPECT_EQ(stray(4, 1, {0, 1, 2, 3}), 0u) << "processes may be apart";
  EXPECT_EQ(stray(2, 3, {0, 0, 1, 3, 2, 1}), 3u);
  EXPECT_EQ(stray(2, 2, {0, 0, 0, -1}), 4u) << "all, while a task has not run yet";
}

}  // namespace
}  // namespace peregrine
