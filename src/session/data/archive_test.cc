#include "session/data/archive.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <expected>
#include <filesystem>
#include <fstream>
#include <utility>

#include "base/fd.h"
#include "base/judged_file.h"
#include "data/reader/recording_file.h"
#include "pipeline/bundle/tar_writer.h"
#include "support/kept_messages.h"
#include "support/perf_data_builder.h"
#include "support/temporary_folder.h"

namespace peregrine {
namespace {

using ::testing::HasSubstr;

// A recording with a single sample, in a binary that does not exist.
class ArchiveTest : public ::testing::Test {
 protected:
  ArchiveTest() {
    support::PerfDataBuilder data;
    data.attr({{"type", 1}, {"freq", 99}, {"sample", "ip,tid,time"}, {"flags", "comm,sample_id_all"}});
    data.record("mmap2", {{"pid", 7},
                          {"tid", 7},
                          {"addr", 0x1000},
                          {"len", 0x1000},
                          {"file", "/nonexistent/tool"},
                          {"prot", 5},
                          {"time", 1},
                          {"misc", 2}});
    data.record("sample", {{"ip", 0x1010}, {"pid", 7}, {"tid", 7}, {"time", 2}, {"misc", 2}});
    const auto bytes = data.bytes();
    std::ofstream(input_, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    request_.input = input_;
  }
  Result<bool> packed() {
    auto file = data::open_recording_file(input_, TrustedOwner::SelfOrRoot);
    if (!file) return std::unexpected(std::move(file.error()));
    auto reader = data::Reader::open(std::move(*file));
    if (!reader) return std::unexpected(std::move(reader.error()));
    return pack_recording(request_, *reader, out_, messages_);
  }

  TemporaryFolder folder_;
  const std::string input_ = folder_.path("perf.data");
  ArchiveRequest request_{.input = "", .build_ids = folder_.path("cache"), .program_name = "falcon"};
  Sink out_;
  testing::KeptMessages messages_;
};

TEST_F(ArchiveTest, WritesNothingIfTheCacheHasNoFileOfTheRecording) {
  for (const ArchiveForm form : {ArchiveForm::Symbols, ArchiveForm::Recording}) {
    request_.form = form;
    const auto done = packed();
    ASSERT_TRUE(done) << done.error().message;
    EXPECT_FALSE(*done);
  }
  EXPECT_EQ(folder_.names(), 1u) << "only the recording";
}

TEST_F(ArchiveTest, PacksARecordingThatComesBack) {
  request_.form = ArchiveForm::Everything;
  request_.output = folder_.path("case.tar.zst");
  const auto done = packed();
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_TRUE(*done);
  EXPECT_THAT(messages_.take(), HasSubstr("case.tar.zst contains the recording and 0 files: falcon report -i "));
  auto archive = open_file(request_.output, O_RDONLY);
  ASSERT_TRUE(archive);
  const auto bundle = Bundle::open(std::move(*archive), "case.tar.zst", folder_.path());
  ASSERT_TRUE(bundle) << bundle.error().message;
  const InstallRequest unpack{.recording = folder_.path("copy.data"), .build_ids = folder_.path("cache")};
  const auto put = install_archive(unpack, *bundle, messages_);
  ASSERT_TRUE(put) << put.error().message;
  EXPECT_EQ(folder_.text("copy.data"), folder_.text("perf.data"));
  EXPECT_THAT(messages_.take(), HasSubstr("note: added 0 files to " + folder_.path("cache")));
  EXPECT_EQ(install_archive(unpack, *bundle, messages_).error().kind, ErrorKind::Usage) << "it exists";
}

// A truncated archive must not replace an existing recording with an incomplete one.
TEST_F(ArchiveTest, InstallsNoRecordingThatIsCutOff) {
  TarWriter tar = *TarWriter::create(folder_.path("plain.tar"), Packing::None);
  ASSERT_TRUE(tar.add_file("perf.data", folder_.path("perf.data")));
  ASSERT_TRUE(tar.finish());
  std::filesystem::resize_file(folder_.path("plain.tar"), 512 + 100);
  const auto bundle =
      Bundle::open(std::move(*open_file(folder_.path("plain.tar"), O_RDONLY)), "plain.tar", folder_.path());
  ASSERT_TRUE(bundle) << bundle.error().message;
  folder_.write("good.data", folder_.text("perf.data"));
  const InstallRequest unpack{
      .recording = folder_.path("good.data"), .build_ids = folder_.path("cache"), .replace = true};
  const auto put = install_archive(unpack, *bundle, messages_);
  ASSERT_FALSE(put);
  EXPECT_EQ(put.error().kind, ErrorKind::Malformed);
  EXPECT_EQ(folder_.text("good.data"), folder_.text("perf.data"));
  EXPECT_THAT(messages_.take(), HasSubstr("plain.tar: truncated archive"));
}

TEST_F(ArchiveTest, NeverReplacesAnotherFile) {
  request_.form = ArchiveForm::Everything;
  request_.output = folder_.write("notes.txt", "mine");
  EXPECT_FALSE(packed());
  EXPECT_EQ(folder_.text("notes.txt"), "mine");
}

TEST(NewestArchive, IsFoundByItsTime) {
  const TemporaryFolder folder;
  EXPECT_EQ(newest_archive(folder.path()), "");
  folder.write("perf.all-b.tar.bz2", "");
  folder.write("perf.all-a.tar.bz2", "");
  folder.write("perf.all-z.tar", "");
  const auto now = std::filesystem::file_time_type::clock::now();
  std::filesystem::last_write_time(folder.path("perf.all-b.tar.bz2"), now - std::chrono::hours(1));
  EXPECT_EQ(newest_archive(folder.path()), "perf.all-a.tar.bz2");
  std::filesystem::last_write_time(folder.path("perf.all-b.tar.bz2"), now + std::chrono::hours(1));
  EXPECT_EQ(newest_archive(folder.path()), "perf.all-b.tar.bz2");
}

}  // namespace
}  // namespace peregrine
