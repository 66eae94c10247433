// Scheduler statistics in three versions of the text format, and the switch that enables the kernel's counters.
#include "sys/kernel/schedstat.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstddef>
#include <filesystem>
#include <fstream>

#include "base/fd.h"
#include "sys/hardware/cpu_mask.h"

namespace peregrine {
namespace {

namespace fs = std::filesystem;

// "0 1 2 …"
std::string numbers(std::size_t count, u64 first = 0) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += " " + std::to_string(first + i);
  return text;
}

class SchedStats : public ::testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(top_ + (::geteuid() == 0 ? "/run" : "/run/user/" + std::to_string(::geteuid())));
    fs::create_directories(top_ + "/proc/sys/kernel");
    std::ofstream(switch_) << "0\n";
  }
  void TearDown() override { fs::remove_all(top_); }
  Result<SchedCounters> read(const std::string& text) const {
    std::ofstream(top_ + "/proc/schedstat") << text;
    return read_sched_counters(root_);
  }
  std::string state() const { return read_file(switch_).value_or("absent").substr(0, 1); }

  std::string top_ = ::testing::TempDir() + "schedstat." + std::to_string(::getpid());
  std::string switch_ = top_ + "/proc/sys/kernel/sched_schedstats";
  Root root_{top_};
};

TEST_F(SchedStats, ReadsVersion15) {
  const auto all = read("version 15\ntimestamp 4295011130\ncpu0" + numbers(9) + "\ndomain0 00000003" + numbers(36, 5) +
                        "\ncpu1" + numbers(9, 100) + "\n");
  ASSERT_TRUE(all) << all.error().message;
  EXPECT_EQ(all->version, 15u);
  EXPECT_EQ(all->time, 4295011130u);
  ASSERT_EQ(all->cpus.size(), 2u);
  EXPECT_EQ(all->cpus[0].values[8], 8u);
  ASSERT_EQ(all->cpus[0].domains.size(), 1u);
  EXPECT_EQ(all->cpus[0].domains[0].name, "");
  EXPECT_EQ(all->cpus[0].domains[0].values.size(), 36u);
  EXPECT_EQ(all->cpus[0].domains[0].values[35], 40u);
  EXPECT_EQ(all->cpus[1].cpu, 1u);
  EXPECT_EQ(all->cpus[1].values[0], 100u);
}

TEST_F(SchedStats, ReadsNamesOfDomainsInVersion17) {
  const auto all =
      read("version 17\ntimestamp 7\ncpu12" + numbers(9) + "\ndomain1 MC 00000000,00000f00" + numbers(45) + "\n");
  ASSERT_TRUE(all) << all.error().message;
  const SchedDomainCounters& domain = all->cpus.at(0).domains.at(0);
  EXPECT_EQ(domain.number, 1u);
  EXPECT_EQ(domain.name, "MC");
  EXPECT_EQ(domain.values.size(), 45u);
  EXPECT_EQ(cpus_of_mask(domain.mask), (std::vector<u32>{8, 9, 10, 11}));
}

TEST_F(SchedStats, RejectsOtherVersionsAndLinesOfOtherLengths) {
  EXPECT_EQ(read("version 14\ntimestamp 1\ncpu0 1 2\n").error().kind, ErrorKind::Unsupported);
  EXPECT_EQ(read("version 18\ntimestamp 1\ncpu0 1 2\n").error().kind, ErrorKind::Unsupported);
  EXPECT_EQ(read("").error().kind, ErrorKind::Unsupported);
  for (const std::string& line : {"cpu0" + numbers(8), "cpu0" + numbers(10), "cpu0" + numbers(8) + " x",
                                  "cpu0" + numbers(9) + "\ndomain0 3" + numbers(45), "domain0 3" + numbers(36)}) {
    const auto all = read("version 16\ntimestamp 1\n" + line + "\n");
    ASSERT_FALSE(all) << line;
    EXPECT_EQ(all.error().kind, ErrorKind::Malformed) << line;
  }
}

TEST_F(SchedStats, NamesTheKernelOptionThatIsMissing) {
  const auto all = read_sched_counters(root_);
  ASSERT_FALSE(all);
  EXPECT_NE(all.error().hint.find("CONFIG_SCHEDSTATS"), std::string::npos);
  fs::remove(switch_);
  const auto engaged = SchedStatsSwitch::engage(root_);
  ASSERT_FALSE(engaged);
  EXPECT_EQ(engaged.error().kind, ErrorKind::Unsupported);
}

TEST_F(SchedStats, AreSwitchedOffAtTheEnd) {
  {
    const auto engaged = SchedStatsSwitch::engage(root_);
    ASSERT_TRUE(engaged) << engaged.error().message;
    EXPECT_EQ(state(), "1");
  }
  EXPECT_EQ(state(), "0");
  EXPECT_TRUE(OwnershipRecord::abandoned(root_).empty());
}

TEST_F(SchedStats, StayOnWhereTheyWereOn) {
  std::ofstream(switch_) << "1\n";
  ASSERT_TRUE(SchedStatsSwitch::engage(root_));
  EXPECT_EQ(state(), "1");
}

TEST_F(SchedStats, AreSwitchedOffByTheNextStartAfterAKill) {
  const pid_t child = ::fork();
  if (child == 0) {
    const auto engaged = SchedStatsSwitch::engage(root_);
    ::kill(::getpid(), SIGKILL);
  }
  ::waitpid(child, nullptr, 0);
  EXPECT_EQ(state(), "1") << "nobody was left to switch it off";
  auto records = OwnershipRecord::abandoned(root_);
  ASSERT_EQ(records.size(), 1u);
  EXPECT_TRUE(undo_abandoned_sched_stats(root_, records[0]));
  EXPECT_EQ(state(), "0");
  records.clear();
  EXPECT_TRUE(OwnershipRecord::abandoned(root_).empty());
}

}  // namespace
}  // namespace peregrine
