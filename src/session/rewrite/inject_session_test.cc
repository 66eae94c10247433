#include "session/rewrite/inject_session.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <string_view>

#include "base/build_id.h"
#include "data/reader/reader.h"
#include "support/built_recording.h"
#include "support/kept_messages.h"
#include "support/perf_data_builder.h"
#include "support/temporary_folder.h"

namespace peregrine {
namespace {

OpenedRecording injected_recording() {
  support::PerfDataBuilder data;
  data.attr({{"name", "cycles"}, {"type", 1}, {"sample", "ip,tid,time"}, {"flags", "comm,sample_id_all"}});
  data.record("sample", {{"ip", 0x1010}, {"pid", 7}, {"tid", 7}, {"time", 2}, {"misc", 2}});
  return OpenedRecording(support::open_built(data));
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

TEST(InjectSession, DoesNotWriteToWhatItReads) {
  const TemporaryFolder folder;
  const std::string one = folder.write("one", ""), other = folder.write("other", "");
  std::filesystem::create_symlink("one", folder.path("link"));
  EXPECT_TRUE(check_copy_place(one, other, ""));
  EXPECT_EQ(check_copy_place(folder.path("link"), one, "").error().message,
            folder.path("link") + " is both input and output");
  EXPECT_EQ(check_copy_place(one, other, folder.path("link")).error().message,
            one + " is both the guest's recording and output");
  const std::string older = folder.write("one.old", "");
  EXPECT_EQ(check_copy_place(one, older, "").error().message,
            older + " would be replaced by " + one + ": it is the input");
  EXPECT_TRUE(check_copy_place(folder.path("new"), older, "")) << "nothing is moved";
  EXPECT_TRUE(check_copy_place("/dev/null", "/dev/null", "")) << "a device may be read and written at once";
  EXPECT_TRUE(check_copy_place("-", "-", ""));
}

TEST(GuestData, HasDefaultsForOffsetAndScale) {
  const auto brief = parse_guest_data("guest.data,1234");
  ASSERT_TRUE(brief);
  EXPECT_EQ(brief->path, "guest.data");
  EXPECT_EQ(brief->options.pid, 1234u);
  EXPECT_EQ(brief->options.time_offset, 0u);
  EXPECT_EQ(brief->options.time_scale, 1.0);
  const auto full = parse_guest_data("guest.data,1,0xffffe42722c64c41,0.5");
  ASSERT_TRUE(full);
  EXPECT_EQ(full->options.time_offset, 0xffffe42722c64c41);
  EXPECT_EQ(full->options.time_scale, 0.5);
}

TEST(GuestData, RejectsInvalidParts) {
  const auto message = [](std::string_view text) { return parse_guest_data(text).error().message; };
  EXPECT_EQ(message("guest.data"), "--guest-data: missing path or pid");
  EXPECT_EQ(message(",1"), "--guest-data: missing path or pid");
  EXPECT_EQ(message("g,0"), "--guest-data: invalid pid '0'");
  EXPECT_EQ(message("g,4294967296"), "--guest-data: invalid pid '4294967296'");
  EXPECT_EQ(message("g,1,x"), "--guest-data: invalid time offset 'x'");
  EXPECT_EQ(message("g,1,0,-1"), "--guest-data: invalid time scale '-1'");
}

TEST(RewriteReport, NamesBuildIdsOnlyIfVerbose) {
  const RewriteSummary summary{.injected = {{.id = *BuildId::parse(std::string(40, 'a')), .name = "/bin/\033one"}},
                               .notes = {"a record was left out"},
                               .details = {"a feature was dropped"}};
  testing::KeptMessages messages;
  report_rewrite(summary, false, messages);
  EXPECT_EQ(messages.take(), "warning: a record was left out\n");
  report_rewrite(summary, true, messages);
  const std::string text = messages.take();
  EXPECT_EQ(text.find('\033'), std::string::npos);
  EXPECT_NE(text.find(std::string(40, 'a') + " [20]\nwarning: a record was left out\nnote: a feature was dropped\n"),
            std::string::npos)
      << text;
}

TEST(VmTimesText, TellsConvertedGuestsFromOthers) {
  testing::KeptMessages messages;
  Sink out;
  VmTimes times{.guests = {{.vmcs = 0x10, .ticks = 0x20, .is_converted = true}}, .errors = {}, .packets = 1};
  print_vm_times(times, out, messages);
  EXPECT_EQ(out.take(), "VMCS: 0x10  TSC Offset 0x20\n");
  EXPECT_EQ(messages.take(), "note: times of VMCS 0x10 are already host times: left unchanged\n");
  times.errors = {"bad packet"};
  times.packets = 0;
  print_vm_times(times, out, messages);
  EXPECT_EQ(messages.take(), "ERROR: bad packet\nwarning: the trace has no guest times\n");
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
