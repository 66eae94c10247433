#include "pipeline/recording/thread_plan.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace peregrine {
namespace {

// Four CPUs: 0 and 2, 1 and 3 are hardware threads of one core.
class ThreadPlanTest : public ::testing::Test {
 protected:
  void SetUp() override {
    write("online", "0-3\n");
    write("possible", "0-3\n");
    write("present", "0-3\n");
    for (const int cpu : {0, 1, 2, 3}) {
      const std::string folder = fmt::format("cpu{}/topology/", cpu);
      const char* siblings = cpu % 2 == 0 ? "0,2\n" : "1,3\n";
      write(folder + "thread_siblings_list", siblings);
      write(folder + "core_cpus_list", siblings);
      write(folder + "core_siblings_list", "0-3\n");
      write(folder + "package_cpus_list", "0-3\n");
    }
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  void write(const std::string& name, const std::string& text) {
    const std::filesystem::path path = folder_ / "sys/devices/system/cpu" / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }
  Root root() const { return Root(folder_.string()); }

  std::filesystem::path folder_ = ::testing::TempDir() + "/thread_plan";
};

TEST_F(ThreadPlanTest, HasAThreadForEachOfItsKind) {
  EXPECT_EQ(parse_thread_plan(root(), "cpu")->size(), 4u);
  const auto cores = *parse_thread_plan(root(), "core");
  ASSERT_EQ(cores.size(), 2u);
  EXPECT_EQ(cores[1].rings, (CpuList{1, 3}));
  EXPECT_EQ(cores[1].affinity, (CpuList{1, 3}));
  EXPECT_EQ(parse_thread_plan(root(), "package")->front().rings.size(), 4u);
}

TEST_F(ThreadPlanTest, TakesListsOfItsOwn) {
  const auto plan = *parse_thread_plan(root(), "0-1/0:2-3,9/1-2");
  ASSERT_EQ(plan.size(), 2u);
  EXPECT_EQ(plan[1].rings, (CpuList{2, 3}));  // CPU 9 is not online
  EXPECT_EQ(plan[1].affinity, (CpuList{1, 2}));
  for (const char* no : {"", "x", "0", "0/", "/0", "0:1", "9/9", "0-1/0:1-2/1", "0/0:"}) {
    EXPECT_FALSE(parse_thread_plan(root(), no)) << no;
  }
}

TEST(AssignRings, ByCpuAndThreadsRingsToTheFirst) {
  std::vector<int> left_out;
  const auto parts = assign_rings({{{0, 1}, {0}}, {{4}, {4}}, {{2}, {2}}}, {2, 0, 3, 1, -1}, left_out);
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts[0].rings, (std::vector<std::size_t>{1, 3, 4}));
  EXPECT_EQ(parts[1].rings, (std::vector<std::size_t>{0}));
  EXPECT_EQ(left_out, (std::vector<int>{3}));
}

}  // namespace
}  // namespace peregrine
