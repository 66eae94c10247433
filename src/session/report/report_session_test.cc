#include "session/report/report_session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <memory>
#include <string_view>
#include <utility>

#include "analysis/hist/key/sort_key.h"
#include "base/fd.h"
#include "output/tui/report/browser.h"
#include "session/report/browsed_recording.h"
#include "session/report/report_text.h"
#include "session/report/row_export.h"
#include "support/memory_file.h"
#include "support/perf_data_builder.h"

namespace peregrine {
namespace {

using support::PerfDataBuilder;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class ReportListener : public SessionListener {
 public:
  void warning(std::string_view text, std::string_view) override { texts.emplace_back(text); }
  void note(std::string_view text, std::string_view) override { texts.emplace_back(text); }
  void verbatim(std::string_view bytes) override { texts.emplace_back(bytes); }
  std::vector<std::string> texts;
};

// Samples of 10 periods: two of "busy" and one of "idle".
PerfDataBuilder two_commands() {
  PerfDataBuilder data;
  data.attr({{"type", 1}, {"sample", "ip,tid,time,period"}, {"flags", "mmap,comm,task,sample_id_all"}});
  data.record("comm", {{"pid", 7}, {"tid", 7}, {"comm", "busy"}, {"time", 1}});
  data.record("comm", {{"pid", 8}, {"tid", 8}, {"comm", "idle"}, {"time", 1}});
  for (const u64 ip : {0x1010, 0x1020})
    data.record("sample", {{"ip", ip}, {"pid", 7}, {"tid", 7}, {"time", 2'000'000'000}, {"period", 10}, {"misc", 2}});
  data.record("sample", {{"ip", 0x8010}, {"pid", 8}, {"tid", 8}, {"time", 4'000'000'000}, {"period", 10}, {"misc", 2}});
  return data;
}

data::Reader reader_of(const PerfDataBuilder& builder) {
  Fd fd = support::memory_file(builder.bytes());
  ::lseek(fd.get(), 0, SEEK_SET);
  return *data::Reader::open_fd(std::move(fd), "perf.data");
}

SymbolPlaces places_without_symbols() {
  SymbolPlaces places;
  places.load = false;
  return places;
}

ReportRequest by_comm() {
  ReportRequest request;
  request.grouping.sort = "comm";
  return request;
}

// The rows of a finished session as JSON lines.
std::string report_rows(const ReportRequest& request) {
  data::Reader reader = reader_of(two_commands());
  ReportListener listener;
  ReportSession session(reader, request, {});
  const ReportCollection collection;
  EXPECT_TRUE(session.make_plan());
  EXPECT_TRUE(session.choose(collection));
  EXPECT_TRUE(session.open(places_without_symbols(), listener));
  EXPECT_TRUE(session.read(nullptr, {}, listener));
  session.finish();
  Sink out;
  export_rows("jsonl", session, out);
  return out.take();
}

TEST(ReportSession, SumsTheRowsOfItsPlan) {
  const std::string rows = report_rows(by_comm());
  EXPECT_THAT(rows, HasSubstr("busy"));
  EXPECT_LT(rows.find("busy"), rows.find("idle")) << "the largest row is first";
}

TEST(ReportSession, CountsTheSelectedSamplesOnly) {
  ReportRequest request = by_comm();
  request.selection.comms = "idle";
  EXPECT_THAT(report_rows(request), Not(HasSubstr("busy")));
}

TEST(ReportSession, HidesRowsBelowTheLimit) {
  ReportRequest request = by_comm();
  request.look.percent_limit = 50;
  EXPECT_THAT(report_rows(request), Not(HasSubstr("idle")));
}

TEST(ReportSession, RejectsUnknownKeysBeforeReading) {
  data::Reader reader = reader_of(two_commands());
  ReportRequest request;
  request.grouping.sort = "colour";
  EXPECT_FALSE(ReportSession(reader, request, {}).make_plan());
}

TEST(ReportSession, RejectsInvalidLists) {
  data::Reader reader = reader_of(two_commands());
  ReportRequest request = by_comm();
  request.selection.pids = "seven";
  ReportSession session(reader, request, {});
  const ReportCollection collection;
  ASSERT_TRUE(session.make_plan());
  const auto chosen = session.choose(collection);
  ASSERT_FALSE(chosen);
  EXPECT_EQ(chosen.error().kind, ErrorKind::Usage);
}

TEST(ReportSession, CannotSelectCpusThatWereNotRecorded) {
  data::Reader reader = reader_of(two_commands());
  ReportRequest request = by_comm();
  request.selection.cpus = "0";
  ReportListener listener;
  ReportSession session(reader, request, {});
  const ReportCollection collection;
  ASSERT_TRUE(session.make_plan());
  ASSERT_TRUE(session.choose(collection));
  const auto opened_session = session.open(places_without_symbols(), listener);
  ASSERT_TRUE(opened_session);
  EXPECT_FALSE(*opened_session);
  EXPECT_THAT(listener.texts, ElementsAre(HasSubstr("CPU")));
}

TEST(ReportPlan, HidesAKeyWithOneValue) {
  data::Reader reader = reader_of(two_commands());
  ReportRequest request;
  request.grouping.sort = "comm,dso";
  request.selection.comms = "idle";
  const auto plan = make_plan(request, reader, {});
  ASSERT_TRUE(plan);
  EXPECT_THAT(plan->hidden, ElementsAre(SortKey::Comm));
  EXPECT_THAT(plan->single, ElementsAre(std::pair<std::string, std::string>("comm", "idle")));
}

TEST(ReportPlan, SaysWhichDataARequestLacks) {
  data::Reader reader = reader_of(two_commands());
  ReportRequest request = by_comm();
  EXPECT_FALSE(missing_data(request, *make_plan(request, reader, {}), reader));
  request.chains.graph_given = true;
  const auto missing = missing_data(request, *make_plan(request, reader, {}), reader);
  ASSERT_TRUE(missing);
  EXPECT_THAT(std::string(*missing), HasSubstr("-g"));
}

TEST(ReportPlan, HasCallersOfDecodedTraces) {
  data::Reader reader = reader_of(two_commands());
  EXPECT_FALSE(make_plan(by_comm(), reader, {})->chains);
  EXPECT_TRUE(make_plan(by_comm(), reader, {.decoded = true, .with_callers = true})->chains);
}

TEST(RecordStats, OmitEventsWithoutSamples) {
  data::Reader reader = reader_of(two_commands());
  const auto printed = [&](bool skip_empty) {
    Sink out;
    print_record_stats({"cycles", "faults"}, reader.header(), skip_empty, {}, {3, 0}, out);
    return out.take();
  };
  EXPECT_THAT(printed(true), HasSubstr("cycles"));
  EXPECT_THAT(printed(true), Not(HasSubstr("faults")));
  EXPECT_THAT(printed(false), HasSubstr("faults"));
}

class BrowsedRecordingTest : public ::testing::Test {
 protected:
  BrowsedRecordingTest() : reader_(reader_of(two_commands())), request_(by_comm()), session_(reader_, request_, {}) {
    collection_.zooms = true;
    EXPECT_TRUE(session_.make_plan());
    EXPECT_TRUE(session_.choose(collection_));
    EXPECT_TRUE(session_.open(places_without_symbols(), listener_));
    recording_ = std::move(*BrowsedRecording::start(reader_, session_, {}));
    recording_->wait_for_rows();
    tui::BrowserHooks hooks = recording_->hooks();
    while (hooks.calm() >= 0) hooks.changed();
  }

  data::Reader reader_;
  ReportRequest request_;
  ReportSession session_;
  ReportCollection collection_;
  ReportListener listener_;
  std::unique_ptr<BrowsedRecording> recording_;
};

TEST_F(BrowsedRecordingTest, ShowsAllSamplesAtTheEnd) {
  const auto tables = recording_->queries().tables();
  ASSERT_EQ(tables.size(), 1u);
  EXPECT_EQ(tables[0].samples, 3u);
  EXPECT_EQ(recording_->queries().page({}).rows.size(), 2u);
  EXPECT_TRUE(recording_->queries().progress().complete);
}

TEST_F(BrowsedRecordingTest, TellsHowReadingEnded) {
  const Result<>* const outcome = recording_->outcome();
  ASSERT_NE(outcome, nullptr);
  EXPECT_TRUE(*outcome);
  EXPECT_EQ(recording_->account().samples, 3u);
  EXPECT_THAT(listener_.texts, IsEmpty());
}

TEST_F(BrowsedRecordingTest, CountsSamplesAlongTheTimeLine) {
  EXPECT_THAT(recording_->queries().activity(2), ElementsAre(2u, 1u));
  // Steps of 4,194,304 ns around the samples at 2 s and 4 s.
  EXPECT_EQ(recording_->time_range(0, 100), "1.996488704,4.001366015");
  // Exactly the steps that the screen counted in the first part.
  EXPECT_EQ(recording_->time_range(0, 50), "1.996488704,2.998927359");
  EXPECT_EQ(recording_->queries().activity_time().start, 0u);
  EXPECT_EQ(recording_->time_text(), "");
}

}  // namespace
}  // namespace peregrine
