#include "session/rewrite/inject_session.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "support/kept_messages.h"
#include "support/memory_file.h"
#include "support/perf_data_builder.h"
#include "support/temporary_folder.h"

namespace peregrine {
namespace {

OpenedRecording injected_recording() {
  support::PerfDataBuilder data;
  data.attr({{"name", "cycles"}, {"type", 1}, {"sample", "ip,tid,time"}, {"flags", "comm,sample_id_all"}});
  data.record("sample", {{"ip", 0x1010}, {"pid", 7}, {"tid", 7}, {"time", 2}, {"misc", 2}});
  auto reader = data::Reader::open_fd(support::memory_file(data.bytes()), "perf.data");
  EXPECT_TRUE(reader);
  return OpenedRecording(std::move(*reader));
}

TEST(KnownBuildIds, AreReadFromTheOptionOrAFile) {
  const TemporaryFolder folder;
  const std::string id(40, 'a'), other(40, 'b');
  const auto listed = read_known_build_ids(id + " /bin/one," + other + " /bin/two");
  ASSERT_TRUE(listed);
  ASSERT_EQ(listed->size(), 2u);
  const auto filed = read_known_build_ids("file://" + folder.write("ids", id + " /bin/one\n\n"));
  ASSERT_TRUE(filed);
  EXPECT_EQ(filed->size(), 1u);
  EXPECT_FALSE(read_known_build_ids("file://" + folder.path("absent")));
  const auto malformed = read_known_build_ids("/bin/one " + id);
  ASSERT_FALSE(malformed);
  EXPECT_EQ(malformed.error().kind, ErrorKind::Usage);
}

TEST(InjectSession, KnowsOneFileByItsNames) {
  const TemporaryFolder folder;
  folder.write("one", "");
  folder.write("other", "");
  std::filesystem::create_symlink("one", folder.path("link"));
  EXPECT_TRUE(are_same_recording(folder.path("one"), folder.path("link")));
  EXPECT_FALSE(are_same_recording(folder.path("one"), folder.path("other")));
  EXPECT_FALSE(are_same_recording("/dev/null", "/dev/null")) << "may be read and written at once";
}

TEST(InjectSession, CopiesIntoAFileThatCanBeRead) {
  const TemporaryFolder folder;
  OpenedRecording recording = injected_recording();
  testing::KeptMessages messages;
  ASSERT_TRUE(inject_recording({.output = folder.path("copy"), .edits = {}}, recording, messages));
  const auto copy = data::Reader::open(folder.path("copy"));
  ASSERT_TRUE(copy);
  EXPECT_EQ(copy->evlist().size(), 1u);
}

TEST(InjectSession, LeavesNothingWhereThereIsNoTraceToDecode) {
  const TemporaryFolder folder;
  OpenedRecording recording = injected_recording();
  testing::KeptMessages messages;
  const InjectRequest request{
      .output = folder.path("copy"), .edits = {}, .decoding = InjectDecoding{.itrace = {}, .symbols = {}}};
  const auto done = inject_recording(request, recording, messages);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().kind, ErrorKind::Unsupported);
  EXPECT_EQ(folder.names(), 0u);
}

TEST(ReplaceVmTimes, TellsARecordingThatCannotBeOpened) {
  const auto done = replace_vm_times("/nonexistent/perf.data", {}, false);
  ASSERT_TRUE(done);
  ASSERT_TRUE(done->not_opened);
  EXPECT_EQ(done->not_opened->kind, ErrorKind::NotFound);
}

}  // namespace
}  // namespace peregrine
