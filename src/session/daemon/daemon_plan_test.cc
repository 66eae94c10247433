#include "session/daemon/daemon_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

namespace peregrine {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string refused_plan(const std::vector<DaemonSetting>& settings) {
  const auto plan = plan_daemon(settings, "/base");
  if (plan) return "";
  EXPECT_EQ(plan.error().kind, ErrorKind::Usage);
  return plan.error().message;
}

TEST(DaemonPlanOfSettings, HasTheSessionsOfTheConfigFile) {
  const std::vector<DaemonSetting> settings = {{"daemon.base", "/var/lib/./perf/"},
                                               {"report.children", "false"},
                                               {"session-cpu.run", "-e 'sched:*' -a"},
                                               {"session-cpu.other", "-z"},
                                               {"session-.run", "-z"}};
  const auto plan = plan_daemon(settings, "");
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_EQ(plan->base, "/var/lib/perf/");
  ASSERT_EQ(plan->sessions.size(), 1u);
  EXPECT_EQ(plan->sessions[0].name, "cpu");
  EXPECT_EQ(plan->sessions[0].run, "-e 'sched:*' -a");
  EXPECT_THAT(plan->sessions[0].words, ElementsAre("-e", "sched:*", "-a"));
}

TEST(DaemonPlanOfSettings, TakesTheLastOfSeveralValuesAtTheFirstPlace) {
  const std::vector<DaemonSetting> settings = {
      {"session-a.run", "-F 1"}, {"session-b.run", ""}, {"session-a.run", "-F 2"}};
  const auto plan = plan_daemon(settings, "/base");
  ASSERT_TRUE(plan);
  ASSERT_EQ(plan->sessions.size(), 2u);
  EXPECT_EQ(plan->sessions[0].run, "-F 2");
  EXPECT_EQ(plan->sessions[1].name, "b");
}

TEST(DaemonPlanOfSettings, PrefersTheBaseOfTheCommandLine) {
  const std::vector<DaemonSetting> settings = {{"daemon.base", "/from/file"}};
  EXPECT_EQ(plan_daemon(settings, "/from/option")->base, "/from/option");
  const auto nowhere = plan_daemon({}, "");
  ASSERT_FALSE(nowhere);
  EXPECT_THAT(nowhere.error().hint, HasSubstr("--base FOLDER"));
}

TEST(DaemonPlanOfSettings, KeepsARelativeBaseWhenTheCurrentFolderChanges) {
  EXPECT_EQ(plan_daemon({}, "rel", "/start")->base, "/start/rel");
  EXPECT_EQ(plan_daemon(std::vector<DaemonSetting>{{"daemon.base", "../rel"}}, "", "/start")->base, "/rel");
  EXPECT_EQ(plan_daemon({}, "/base", "/start")->base, "/base");
}

TEST(DaemonPlanOfSettings, NeedsTheCurrentFolderForARelativeBase) {
  const std::filesystem::path before = std::filesystem::current_path();
  const std::string folder = ::testing::TempDir() + "daemon_plan_removed";
  std::filesystem::create_directory(folder);
  std::filesystem::current_path(folder);
  std::filesystem::remove(folder);
  const auto plan = plan_daemon({}, "base");
  std::filesystem::current_path(before);
  ASSERT_FALSE(plan);
  EXPECT_THAT(plan.error().message, HasSubstr("cannot find the base folder 'base': the current folder: "));
}

TEST(DaemonPlanOfSettings, RejectsInvalidSessions) {
  EXPECT_EQ(refused_plan({{"session-a/b.run", "-a"}}), "session 'a/b': the name must not contain '/'");
  EXPECT_THAT(refused_plan({{"session-a.run", "-e 'x"}}), HasSubstr("session 'a': "));
}

}  // namespace
}  // namespace peregrine
