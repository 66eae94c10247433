#include "pipeline/recording/place/output_switch.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <vector>

#include "support/temporary_folder.h"

namespace peregrine {
namespace {

TEST(SwitchCondition, IsASignalASizeOrATime) {
  EXPECT_TRUE(parse_switch_condition("signal")->by_signal);
  EXPECT_EQ(parse_switch_condition("2M")->bytes, 2u << 20);
  EXPECT_EQ(parse_switch_condition("5m")->period, std::chrono::seconds(300));
  for (const char* wrong : {"", "2", "now", "signal,2M"}) EXPECT_FALSE(parse_switch_condition(wrong)) << wrong;
}

TEST(OutputSwitch, KeepsTheYoungestFiles) {
  const std::string folder = fmt::format("{}/switch.{}", std::filesystem::temp_directory_path().string(), ::getpid());
  std::filesystem::create_directory(folder);
  const std::string path = folder + "/perf.data";
  OutputSwitch output(2);
  const auto place = *OutputPlace::at(path);
  std::vector<std::string> names;
  while (names.size() < 3) {
    std::ofstream(path) << "PERFILE2" << names.size();
    const auto name = output.put_away(place);
    ASSERT_TRUE(name) << name.error().message;
    // However quickly they follow each other, none replaces another.
    for (const std::string& other : names) EXPECT_NE(*name, other);
    names.push_back(*name);
  }
  EXPECT_EQ(names[0].size(), path.size() + 17);
  EXPECT_FALSE(std::filesystem::exists(names[0]));
  EXPECT_TRUE(std::filesystem::exists(names[2]));
  EXPECT_FALSE(std::filesystem::exists(path));
  EXPECT_FALSE(output.put_away(place));
  std::filesystem::remove_all(folder);
}

TEST(OutputSwitch, RenamesAndRemovesOnlyRecordings) {
  const std::string folder = fmt::format("{}/switched.{}", std::filesystem::temp_directory_path().string(), ::getpid());
  const std::string path = folder + "/perf.data";
  std::filesystem::create_directory(folder);
  OutputSwitch output(1);
  const auto place = *OutputPlace::at(path);
  std::ofstream(path) << "PERFILE2";
  const auto first = output.put_away(place);
  ASSERT_TRUE(first);
  std::filesystem::remove(*first);
  std::filesystem::create_directory(*first);
  std::ofstream(*first + "/precious") << "text";
  std::ofstream(path) << "PERFILE2";
  EXPECT_TRUE(output.put_away(place));
  EXPECT_TRUE(std::filesystem::exists(*first + "/precious"));
  std::ofstream(path) << "text";
  EXPECT_FALSE(output.put_away(place));
  EXPECT_TRUE(std::filesystem::exists(path));
  std::filesystem::remove_all(folder);
}

// A folder that replaces the recording's folder during recording belongs to somebody else.
TEST(OutputSwitch, StaysInTheFolderOfTheRecording) {
  namespace fs = std::filesystem;
  const TemporaryFolder top;
  fs::create_directory(top.path("mine"));
  std::ofstream(top.path("mine/perf.data")) << "PERFILE2";
  const auto place = *OutputPlace::at(top.path("mine/perf.data"));
  fs::rename(top.path("mine"), top.path("moved"));
  fs::create_directory(top.path("mine"));
  std::ofstream(top.path("mine/perf.data")) << "PERFILE2 of somebody else";
  const auto name = OutputSwitch(1).put_away(place);
  ASSERT_TRUE(name) << name.error().message;
  EXPECT_TRUE(fs::exists(top.path("mine/perf.data")));
  EXPECT_FALSE(fs::exists(top.path("moved/perf.data")));
  EXPECT_TRUE(fs::exists(top.path("moved") + name->substr(top.path("mine").size())));
}

}  // namespace
}  // namespace peregrine
