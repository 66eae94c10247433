#include "session/daemon/session_recordings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "support/temporary_folder.h"

namespace peregrine {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;

class SessionRecordingsTest : public ::testing::Test {
 protected:
  std::vector<std::string> names() const {
    std::vector<std::string> found;
    for (const SessionRecording& recording : recordings_in(folder_.path()))
      found.push_back(std::filesystem::path(recording.path).filename());
    return found;
  }
  TemporaryFolder folder_;
  // The start of a recording is enough to be one.
  const std::string recording_ = "PERFILE2" + std::string(96, '\0');
};

TEST_F(SessionRecordingsTest, AreListedOldestFirst) {
  for (const char* name : {"perf.data", "perf.data.old", "perf.data.2026112805342642", "perf.data.2026112805342600"})
    folder_.write(name, "1234");
  for (const char* name : {"output", "perf.data.2026.tar.gz", "perf.data.x", "perf.data.", "perf.datax"})
    folder_.write(name, "other");
  std::filesystem::create_directory(folder_.path("perf.data.1"));
  EXPECT_THAT(names(),
              ElementsAre("perf.data.2026112805342600", "perf.data.2026112805342642", "perf.data.old", "perf.data"));
  EXPECT_EQ(recordings_in(folder_.path()).front().bytes, 4u);
}

TEST_F(SessionRecordingsTest, KeepEachRemnantUnderItsTime) {
  for (int i = 0; i < 2; ++i) {
    folder_.write("perf.data", recording_);
    const auto kept = keep_remnant(folder_.path());
    ASSERT_TRUE(kept) << kept.error().message;
    ASSERT_TRUE(*kept);
    EXPECT_THAT(**kept, MatchesRegex(".*/perf\\.data\\.[0-9]+"));
  }
  EXPECT_EQ(names().size(), 2u);
  EXPECT_FALSE(folder_.has("perf.data"));
}

TEST_F(SessionRecordingsTest, HaveNoRemnantWithoutData) {
  EXPECT_FALSE(*keep_remnant(folder_.path()));
  EXPECT_FALSE(*keep_remnant(folder_.path("none")));
  folder_.write("perf.data", "");
  EXPECT_FALSE(*keep_remnant(folder_.path()));
}

TEST_F(SessionRecordingsTest, KeepRemnantsOfSessionsWithTimestampedFiles) {
  folder_.write("perf.data", recording_);
  const auto kept = [&](std::vector<std::string> words) {
    return keep_remnant_of({.name = "a", .run = {}, .words = std::move(words)}, folder_.path());
  };
  EXPECT_EQ(kept({"-a", "sleep", "1"}), "");
  EXPECT_EQ(kept({"--", "echo", "--switch-output"}), "");
  EXPECT_TRUE(folder_.has("perf.data"));
  EXPECT_THAT(kept({"-a", "--switch-output=1h"}),
              HasSubstr("session 'a': the unfinished file of its last record is now "));
  EXPECT_FALSE(folder_.has("perf.data"));
}

}  // namespace
}  // namespace peregrine
