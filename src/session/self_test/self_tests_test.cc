#include "session/self_test/self_tests.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "session/self_test/test_runs.h"

namespace peregrine {
namespace {

// A test in which all commands end with this result.
SelfTest test_with(OwnRun run) {
  return SelfTest("/folder", "", [run](std::span<const std::string>, const std::string&, std::chrono::seconds) {
    return Result<OwnRun>(run);
  });
}

TEST(SelfTest, KeepsTheOutputOfASuccessfulCommand) {
  SelfTest test = test_with({.exit = 0, .out = "one\ntwo\n", .err = ""});
  EXPECT_TRUE(test.run({"stat", "true"}));
  EXPECT_EQ(test.out(), "one\ntwo\n");
  EXPECT_EQ(test.log(), "$ stat true\n  one\n  two\n");
  EXPECT_EQ(test.path("data"), "/folder/data");
}

TEST(SelfTest, SkipsWhatTheMachineRefuses) {
  SelfTest test = test_with({.exit = 255, .out = "", .err = "\nperf: Permission denied\nhint: run as root\n"});
  EXPECT_FALSE(test.run({"stat"}));
  EXPECT_EQ(test.outcome().kind, TestOutcome::Kind::Skipped);
  EXPECT_EQ(test.outcome().reason, "perf: Permission denied");
}

TEST(SelfTest, FailsOnOtherErrors) {
  SelfTest broken = test_with({.exit = 1, .out = "", .err = "wrong\n"});
  EXPECT_FALSE(broken.run({"stat"}));
  EXPECT_EQ(broken.outcome().kind, TestOutcome::Kind::Failed);
  EXPECT_EQ(broken.outcome().reason, "exit code 1: wrong");
  SelfTest crashed = test_with({.exit = 128 + 11});
  EXPECT_FALSE(crashed.run({"stat"}));
  EXPECT_EQ(crashed.outcome().reason, "ended by signal 11");
  SelfTest endless = test_with({.exit = 128 + 9, .timed_out = true});
  EXPECT_FALSE(endless.run({"stat"}));
  EXPECT_EQ(endless.outcome().reason, "did not finish within a minute");
}

TEST(TestRuns, AreChosenByNumberOrPartOfTheName) {
  EXPECT_EQ(choose_tests({}, {}).size(), self_tests().size());
  const auto second = choose_tests({"2"}, {2});
  ASSERT_EQ(second.size(), 1u);
  EXPECT_EQ(second[0].number, 2u);
  EXPECT_TRUE(second[0].is_skipped);
  const auto flame = choose_tests({"FLAME"}, {2});
  ASSERT_EQ(flame.size(), 1u);
  EXPECT_EQ(flame[0].entry->name, "Draw a flame graph");
  EXPECT_FALSE(flame[0].is_skipped);
  EXPECT_TRUE(choose_tests({"no such test"}, {}).empty());
}

TEST(TestRuns, ReportEachTestInOrder) {
  static constexpr SelfTestEntry kGood{"good", [](SelfTest&) { return TestOutcome(); }};
  static constexpr SelfTestEntry kBad{"bad", [](SelfTest& test) { return test.failed("no"); }};
  const std::vector<ChosenTest> tests{{1, &kGood, false}, {2, &kGood, true}, {3, &kBad, false}};
  for (const bool parallel : {false, true}) {
    std::string seen;
    const TestObserver observer{.on_start = [&](const ChosenTest& test) -> Result<> {
                                  seen += fmt::format("{} ", test.number);
                                  return {};
                                },
                                .on_end = [&](const TestRun& run) { seen += run.outcome.reason + ";"; }};
    const auto runs = run_tests(tests, "", parallel, observer);
    ASSERT_TRUE(runs) << runs.error().message;
    EXPECT_EQ(seen, "1 ;2 3 no;");
    ASSERT_EQ(runs->size(), 3u);
    EXPECT_EQ((*runs)[1].outcome.reason, "user override");
    EXPECT_EQ((*runs)[2].outcome.kind, TestOutcome::Kind::Failed);
  }
}

}  // namespace
}  // namespace peregrine
