// Sources of event names other than this system, selected by the environment and the settings.
#include "cmd/events/event_sources.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "support/temporary_folder.h"

namespace peregrine::cmd {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class EventSourcesConfig : public ::testing::Test {
 protected:
  static EventSources configured(std::vector<std::string> environment, std::vector<Setting> settings = {}) {
    EventSources sources;
    configure_sources(Config::of(std::move(environment), std::move(settings)), sources);
    return sources;
  }
  std::string event_file(const std::string& below, const std::string& name) {
    std::filesystem::create_directories(folder_.path(below));
    return folder_.write(below + "/" + name, "[]");
  }

  const TemporaryFolder folder_;
};

TEST_F(EventSourcesConfig, ProcessorsMayBeChosen) {
  EXPECT_EQ(configured({}).cpuid, "");
  EXPECT_EQ(configured({"PERF_CPUID=GenuineIntel-6-55-4"}).cpuid, "GenuineIntel-6-55-4");
}

TEST_F(EventSourcesConfig, UsersHaveAFolderOfEventFiles) {
  const std::string second = event_file(".config/peregrine/events", "b.json");
  const std::string first = event_file(".config/peregrine/events", "a.json");
  event_file(".config/peregrine/events", "notes.txt");
  const std::string home = "HOME=" + folder_.path();
  EXPECT_THAT(configured({home}).event_files, ElementsAre(first, second)) << "in the order of their names";
  const std::string own = event_file("xdg/peregrine/events", "c.json");
  EXPECT_THAT(configured({home, "XDG_CONFIG_HOME=" + folder_.path("xdg")}).event_files, ElementsAre(own));
  EXPECT_THAT(configured({home, "XDG_CONFIG_HOME="}).event_files, ElementsAre(first, second)) << "empty is unset";
}

TEST_F(EventSourcesConfig, ListedFilesReplaceTheFolder) {
  event_file(".config/peregrine/events", "a.json");
  const std::string home = "HOME=" + folder_.path(), listed = event_file("mine", "z.json");
  EXPECT_THAT(configured({home, "PEREGRINE_EVENTS=" + listed}).event_files, ElementsAre(listed));
  EXPECT_THAT(configured({home, "PEREGRINE_EVENTS=" + folder_.path("mine")}).event_files, ElementsAre(listed));
  EXPECT_THAT(configured({home, "PEREGRINE_EVENTS="}).event_files, IsEmpty()) << "none at all";
}

TEST_F(EventSourcesConfig, WithoutAHomeThereIsNoFolder) { EXPECT_THAT(configured({}).event_files, IsEmpty()); }

TEST_F(EventSourcesConfig, OnlyTheHostIsCountedUnlessGuestsAreWanted) {
  EXPECT_FALSE(configured({}).guest);
  EXPECT_TRUE(configured({}).host);
  const EventSources guests = configured({}, {{"guest.sides", "guest"}});
  EXPECT_TRUE(guests.guest);
  EXPECT_FALSE(guests.host);
  const EventSources both = configured({}, {{"guest.sides", "host,guest"}});
  EXPECT_TRUE(both.guest);
  EXPECT_TRUE(both.host);
}

TEST_F(EventSourcesConfig, MarkersComeFromTheBuildIdCache) {
  EXPECT_EQ(configured({"HOME=/h"}, {{"buildid.dir", "/cache"}}).marker_cache, "/cache");
  EXPECT_EQ(configured({"HOME=/h"}, {{"buildid.dir", "/dev/null"}}).marker_cache, "") << "there is none";
}

TEST_F(EventSourcesConfig, OpenedEventsAreLoggedIfAFolderIsNamed) {
  EXPECT_EQ(open_log_folder(Config::of({}, {})), "");
  EXPECT_EQ(open_log_folder(Config::of({"PERF_TEST_ATTR=/tmp/attrs"}, {})), "/tmp/attrs");
}

}  // namespace
}  // namespace peregrine::cmd
