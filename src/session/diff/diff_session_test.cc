#include "session/diff/diff_session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <string_view>

#include "analysis/hist/key/sort_key.h"
#include "base/fd.h"
#include "data/reader/reader.h"
#include "session/recording/opened_recording.h"
#include "support/memory_file.h"
#include "support/perf_data_builder.h"

namespace peregrine {
namespace {

using support::PerfDataBuilder;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class DiffListener : public SessionListener {
 public:
  void warning(std::string_view text, std::string_view) override { texts += text; }
  void note(std::string_view text, std::string_view) override { texts += text; }
  void verbatim(std::string_view bytes) override { texts += bytes; }
  std::string texts;
};

// Samples of one event with `config`: `busy` samples of the program "busy", and one of the program "idle".
OpenedRecording recording_of(unsigned busy, u64 config = 0) {
  PerfDataBuilder data;
  data.attr(
      {{"type", 1}, {"config", config}, {"sample", "ip,tid,time,period"}, {"flags", "mmap,comm,task,sample_id_all"}});
  data.record("comm", {{"pid", 7}, {"tid", 7}, {"comm", "busy"}, {"time", 1}});
  data.record("comm", {{"pid", 8}, {"tid", 8}, {"comm", "idle"}, {"time", 1}});
  for (unsigned i = 0; i < busy; ++i)
    data.record("sample", {{"ip", 0x1010}, {"pid", 7}, {"tid", 7}, {"time", 2}, {"period", 10}, {"misc", 2}});
  data.record("sample", {{"ip", 0x8010}, {"pid", 8}, {"tid", 8}, {"time", 4}, {"period", 10}, {"misc", 2}});
  Fd fd = support::memory_file(data.bytes());
  ::lseek(fd.get(), 0, SEEK_SET);
  return OpenedRecording(*data::Reader::open_fd(std::move(fd), "perf.data"));
}

class DiffSessionTest : public ::testing::Test {
 protected:
  DiffSessionTest() { request_.sort = "comm"; }

  DiffSession compared(OpenedRecording before, OpenedRecording after) {
    const Columns columns = *diff_columns(request_);
    DiffSession session(request_, columns);
    session.add(file_of(std::move(before), columns.keys), "old");
    session.add(file_of(std::move(after), columns.keys), "new");
    return session;
  }
  std::unique_ptr<DiffFile> file_of(OpenedRecording recording, const std::vector<SortKey>& keys) {
    DiffFileRequest wanted{.compared = request_, .keys = keys, .times = {}, .places = {}};
    wanted.places.load = false;
    auto file = DiffFile::read(std::move(recording), std::move(wanted), {.file = {}, .listener = listener_});
    EXPECT_TRUE(file);
    return std::move(*file);
  }
  static std::string printed(const DiffSession& session, const DiffLook& look) {
    Sink out;
    session.print(look, out);
    return out.take();
  }

  DiffRequest request_;
  DiffListener listener_;
};

TEST_F(DiffSessionTest, PrintsTheSharesOfBothSides) {
  const DiffSession session = compared(recording_of(1), recording_of(3));
  const std::string text = printed(session, {.separator = ",", .quiet = true});
  EXPECT_THAT(text, HasSubstr("50.00"));
  EXPECT_THAT(text, HasSubstr("+25.00"));
  EXPECT_THAT(listener_.texts, IsEmpty());
}

TEST_F(DiffSessionTest, WritesRowsForPrograms) {
  const DiffSession session = compared(recording_of(1), recording_of(3));
  const std::string text = printed(session, {.format = "jsonl"});
  EXPECT_THAT(text, HasSubstr("\"busy\""));
  EXPECT_THAT(text, HasSubstr("\"idle\""));
}

TEST_F(DiffSessionTest, ComparesSelectedSamplesOnly) {
  request_.selection.comms = "idle";
  const DiffSession session = compared(recording_of(1), recording_of(3));
  EXPECT_THAT(printed(session, {.format = "jsonl"}), Not(HasSubstr("\"busy\"")));
}

TEST_F(DiffSessionTest, WarnsOfEventsThatAFileLacks) {
  const DiffSession session = compared(recording_of(1, 0), recording_of(1, 1));
  session.warn_about_absent_events(listener_);
  EXPECT_THAT(listener_.texts, HasSubstr("new has no event cpu-clock:HG (it has: task-clock:HG)"));
}

TEST_F(DiffSessionTest, DrawsTheFirstCommonEvent) {
  const DiffSession session = compared(recording_of(1), recording_of(3));
  const auto pair = session.first_and_last();
  ASSERT_TRUE(pair);
  EXPECT_EQ(pair->before.name, "old");
  EXPECT_EQ(pair->after.name, "new");
  EXPECT_EQ(pair->event, "cpu-clock:HG");
  EXPECT_FALSE(compared(recording_of(1, 0), recording_of(1, 1)).first_and_last());
}

}  // namespace
}  // namespace peregrine
