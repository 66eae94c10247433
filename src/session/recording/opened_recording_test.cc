#include "session/recording/opened_recording.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstddef>
#include <filesystem>
#include <vector>

#include "pipeline/bundle/tar_writer.h"
#include "support/kept_messages.h"
#include "support/perf_data_builder.h"
#include "support/temporary_folder.h"

namespace peregrine {
namespace {

class OpenedRecordingTest : public ::testing::Test {
 protected:
  // The path of a recording of the event "cycles".
  std::string recording() const {
    support::PerfDataBuilder data;
    data.attr({{"name", "cycles"}, {"sample", "ip,tid"}}).feature("event_desc");
    const std::vector<std::byte> bytes = data.bytes();
    return folder_.write("perf.data", {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  }
  Result<OpenedRecording> open(const std::string& path, bool force = false) const {
    return open_recording({.path = path, .force = force, .temporary_folder = folder_.path()}, messages_);
  }
  std::string why(const std::string& path) const {
    const auto opened = open(path);
    return opened ? "" : opened.error().message;
  }
  TemporaryFolder folder_;
  mutable testing::KeptMessages messages_;
};

TEST_F(OpenedRecordingTest, ReadsTheEventsOfAFile) {
  const auto opened = open(recording());
  ASSERT_TRUE(opened);
  ASSERT_EQ(opened->evlist().size(), 1u);
  EXPECT_EQ(opened->evlist()[0].name, "cycles");
  EXPECT_FALSE(opened->bundle);
  EXPECT_EQ(opened->decoded, nullptr);
}

TEST_F(OpenedRecordingTest, RejectsAnEmptyFile) {
  const std::string path = folder_.write("empty", "");
  EXPECT_EQ(why(path), "zero-sized data (" + path + "), nothing to do!");
}

TEST_F(OpenedRecordingTest, NamesTheArchiveThatEndsWithinItsRecording) {
  const std::string archive = folder_.path("case.tar");
  TarWriter tar = *TarWriter::create(archive, Packing::None);
  ASSERT_TRUE(tar.add_file("perf.data", recording()));
  ASSERT_TRUE(tar.finish());
  EXPECT_TRUE(open(archive));
  std::filesystem::resize_file(archive, 512 + 20);  // inside the recording's header
  EXPECT_EQ(why(archive), archive + ": truncated archive within its recording");
}

TEST_F(OpenedRecordingTest, ReportsAMissingFile) {
  const auto opened = open(folder_.path("none"));
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().kind, ErrorKind::NotFound);
}

TEST_F(OpenedRecordingTest, ReadsFilesOfStrangersOnlyByForce) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give files away";
  const std::string path = recording();
  folder_.give_away("perf.data");
  const auto refused = open(path);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::Denied);
  EXPECT_TRUE(open(path, true));
}

}  // namespace
}  // namespace peregrine
