// How `bench` handles its arguments; the benchmarks themselves are tested elsewhere.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "cmd/bench/bench_trials.h"
#include "cmd/command_table.h"
#include "support/called_command.h"

namespace peregrine::cmd {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

struct TrialCollection {
  const char* name;
  std::span<const Trial> trials;
};
std::vector<TrialCollection> trial_collections() {
  return {{"sched", sched_trials()},        {"syscall", syscall_trials()},       {"mem", memory_trials()},
          {"numa", numa_trials()},          {"futex", futex_trials()},           {"epoll", epoll_trials()},
          {"internals", internal_trials()}, {"breakpoint", breakpoint_trials()}, {"uprobe", uprobe_trials()}};
}

TEST(Bench, WithoutArgumentsItListsTheCollections) {
  const Called listed = called(kBench, {});
  EXPECT_EQ(listed.code, 0);
  EXPECT_THAT(listed.printed, StartsWith("Usage: \n\tperf bench [<common options>] <collection> <benchmark>"));
  std::size_t before = 0;
  for (const TrialCollection& collection : trial_collections()) {
    const std::size_t at = listed.printed.find(std::string(" ") + collection.name + ": ");
    ASSERT_NE(at, std::string::npos) << collection.name;
    EXPECT_GT(at, before) << collection.name << " is in another place";
    before = at;
  }
  EXPECT_THAT(listed.printed.substr(before), HasSubstr("          all: All of them\n"));
}

TEST(Bench, CollectionsListTheirTrials) {
  for (const TrialCollection& collection : trial_collections()) {
    SCOPED_TRACE(collection.name);
    const Called listed = called(kBench, {collection.name});
    EXPECT_EQ(listed.code, 0);
    EXPECT_THAT(listed.printed, StartsWith(std::string("\n        # List of available benchmarks for collection '") +
                                           collection.name + "':\n\n"));
    for (const Trial& trial : collection.trials)
      EXPECT_THAT(listed.printed,
                  HasSubstr(" " + std::string(trial.name) + ": " + std::string(trial.command->summary)));
    EXPECT_EQ(called(kBench, {collection.name, "-h"}).printed, listed.printed);
  }
}

// run_all() and messages build a benchmark's path from its names.
TEST(Bench, TrialsAreNamedByTheirCollection) {
  for (const TrialCollection& collection : trial_collections()) {
    std::set<std::string_view> names;
    ASSERT_FALSE(collection.trials.empty()) << collection.name;
    for (const Trial& trial : collection.trials) {
      EXPECT_EQ(trial.command->name, std::string("bench ") + collection.name + " " + std::string(trial.name));
      EXPECT_TRUE(names.insert(trial.name).second) << trial.name << " is listed twice";
      EXPECT_NE(trial.name, "all") << "that means all of them";
    }
  }
}

// bench passes -f simple to any benchmark it calls.
TEST(Bench, EveryTrialPrintsOneNumberIfWanted) {
  for (const TrialCollection& collection : trial_collections())
    for (const Trial& trial : collection.trials) {
      const Called help = called(*trial.command, {"--simple", "-h"});
      EXPECT_EQ(help.error.message, "") << trial.command->name;
      EXPECT_FALSE((help.printed + help.said).contains("--simple")) << "it is no option of users";
    }
}

TEST(Bench, UnknownNamesAreReported) {
  const Called collection = called(kBench, {"shed"});
  EXPECT_EQ(collection.code, 1);
  EXPECT_EQ(collection.said, "Unknown collection: 'shed'\n");
  const Called trial = called(kBench, {"sched", "pip"});
  EXPECT_EQ(trial.code, 1);
  EXPECT_EQ(trial.said, "Unknown benchmark: 'pip' for collection 'sched'\n");
  EXPECT_EQ(trial.printed, "") << "no title of a run";
}

TEST(Bench, CommonOptionsAreChecked) {
  EXPECT_EQ(misuse_of(kBench, {"-f", "csv", "sched", "pipe"}), "Unknown format descriptor: 'csv'");
  for (const char* wrong : {"0", "-1", "-2147483648"})
    EXPECT_EQ(misuse_of(kBench, {"-r", wrong, "sched", "pipe"}), "Invalid repeat option: Must specify a positive value")
        << wrong;
  EXPECT_EQ(misuse_of(kBench, {"-r", "x"}), "switch `r' expects a numerical value");
}

TEST(Bench, MisuseOfATrialNamesTheTrialsHelp) {
  const Called number = called(kBench, {"mem", "memcpy", "--nr_loops", "many"});
  EXPECT_EQ(number.error.kind, ErrorKind::Usage);
  EXPECT_EQ(number.error.message, "option `nr_loops' expects a numerical value");
  EXPECT_EQ(number.error.hint, "'perf bench mem memcpy -h' shows its options");
  EXPECT_EQ(called(kBench, {"mem", "memcpy", "--size", "tiny"}).error.hint, "such as 64KB, 1MB, 2GB")
      << "a hint that knows more is kept";
}

TEST(Bench, TitlesAreOmittedWithOneNumber) {
  const std::vector<std::string> wrong{"mem", "memcpy", "-s", "tiny"};
  EXPECT_EQ(called(kBench, wrong).printed, "# Running 'mem/memcpy' benchmark:\n");
  std::vector<std::string> simple{"-f", "simple"};
  simple.insert(simple.end(), wrong.begin(), wrong.end());
  EXPECT_EQ(called(kBench, simple).printed, "");
}

}  // namespace
}  // namespace peregrine::cmd
