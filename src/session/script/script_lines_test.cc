#include "session/script/script_lines.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <string_view>
#include <utility>

#include "output/text/field/script_fields.h"
#include "script/interpreter.h"
#include "session/export/profile_format.h"
#include "session/script/script_profile.h"
#include "session/script/script_summary.h"
#include "session/script/user_script.h"
#include "support/built_recording.h"
#include "support/kept_messages.h"
#include "support/perf_data_builder.h"
#include "support/temporary_folder.h"

namespace peregrine {
namespace {

using support::open_built;
using support::PerfDataBuilder;

// Two samples of "busy" and one of "idle".
PerfDataBuilder busy_and_idle() {
  PerfDataBuilder data;
  data.attr({{"type", 1}, {"sample", "ip,tid,time,period"}, {"flags", "mmap,comm,task,sample_id_all,mmap2"}});
  data.record("comm", {{"pid", 7}, {"tid", 7}, {"comm", "busy"}, {"time", 1000}});
  data.record("comm", {{"pid", 8}, {"tid", 8}, {"comm", "idle"}, {"time", 1000}});
  for (const u64 time : {2000, 3000})
    data.record("sample", {{"ip", 0x1010}, {"pid", 7}, {"tid", 7}, {"time", time}, {"period", 10}, {"misc", 2}});
  data.record("sample", {{"ip", 0x8010}, {"pid", 8}, {"tid", 8}, {"time", 4000}, {"period", 5}, {"misc", 2}});
  return data;
}

SymbolPlaces no_symbols() {
  SymbolPlaces places;
  places.load = false;
  return places;
}

// The output of `print`.
template <class Print>
std::string printed_text(const Print& print) {
  Sink out;
  print(out);
  return out.take();
}

std::string lines_of(const PerfDataBuilder& data, ScriptLinesRequest request, SampleFilter filter = {}) {
  data::Reader reader = open_built(data);
  testing::KeptMessages messages;
  return printed_text([&](Sink& out) {
    ScriptLines lines(std::move(request), reader, messages);
    ASSERT_TRUE(lines.settle_fields());
    lines.make_plan();
    EXPECT_FALSE(lines.lacks_time_of_day());
    EXPECT_TRUE(lines.check_disassembler());
    const auto end = lines.print({.filter = std::move(filter), .gate = {}, .places = no_symbols()}, out);
    ASSERT_TRUE(end);
    EXPECT_EQ(end->refusal, "");
    EXPECT_TRUE(end->is_read);
  });
}

ScriptFields fields_of(std::string_view words) {
  ScriptFields fields;
  std::vector<std::string> warnings;
  EXPECT_TRUE(fields.parse(words, warnings));
  return fields;
}

TEST(ScriptLines, PrintTheRequestedFieldsInTheOrderOfTime) {
  EXPECT_EQ(lines_of(busy_and_idle(), {.fields = fields_of("comm,tid,time")}),
            "            busy     7     0.000002: \n"
            "            busy     7     0.000003: \n"
            "            idle     8     0.000004: \n");
}

TEST(ScriptLines, LeaveOutWhatTheFilterRejects) {
  SampleFilter filter;
  filter.comms = {"idle"};
  EXPECT_EQ(lines_of(busy_and_idle(), {.fields = fields_of("comm,tid")}, std::move(filter)),
            "            idle     8 \n");
}

std::string lines_between(const FieldReportRequest& conditions) {
  data::Reader reader = open_built(busy_and_idle());
  testing::KeptMessages messages;
  ScriptLinesRequest request{.fields = fields_of("comm,time")};
  request.records.tasks = true;
  return printed_text([&](Sink& out) {
    ScriptLines lines(std::move(request), reader, messages);
    ASSERT_TRUE(lines.settle_fields());
    lines.make_plan();
    ASSERT_TRUE(lines.print({.filter = {}, .gate = {}, .places = no_symbols(), .conditions = conditions}, out));
  });
}

TEST(ScriptLines, ShowTheSamplesThatSatisfyACondition) {
  EXPECT_EQ(lines_between({.where = "comm == idle"}),
            "            busy     0.000001: PERF_RECORD_COMM: busy:7/7\n"
            "            idle     0.000001: PERF_RECORD_COMM: idle:8/8\n"
            "            idle     0.000004: \n");
}

TEST(ScriptLines, BeginAndEndAtEventsAndIncludeBoth) {
  EXPECT_EQ(lines_between({.from = "time >= 3us"}),
            "            busy     0.000003: \n"
            "            idle     0.000004: \n");
  const std::string first = lines_between({.until = "time >= 3us"});
  EXPECT_EQ(std::ranges::count(first, '\n'), 4) << first;  // two comms, two samples
  EXPECT_EQ(first.find("0.000004"), std::string::npos) << first;
}

TEST(ScriptLines, RejectInvalidConditionsBeforeTheTitles) {
  data::Reader reader = open_built(busy_and_idle());
  testing::KeptMessages messages;
  ScriptLines lines({.fields = {}, .format = "csv"}, reader, messages);
  ASSERT_TRUE(lines.settle_fields());
  lines.make_plan();
  Sink out;
  const auto end =
      lines.print({.filter = {}, .gate = {}, .places = no_symbols(), .conditions = {.where = "size > 4"}}, out);
  ASSERT_FALSE(end);
  EXPECT_EQ(end.error().kind, ErrorKind::Usage);
  EXPECT_EQ(out.text(), "");
}

TEST(ScriptLines, ShowTheRequestedRecordsToo) {
  ScriptLinesRequest request{.fields = fields_of("comm,tid,time")};
  EXPECT_EQ(lines_of(busy_and_idle(), request).find("PERF_RECORD_COMM"), std::string::npos);
  request.records.tasks = true;
  EXPECT_NE(lines_of(busy_and_idle(), request).find("PERF_RECORD_COMM: busy:7/7"), std::string::npos);
}

TEST(ScriptLines, TitlesPrecedeTheRowsOfCsv) {
  const std::string text = lines_of(busy_and_idle(), {.fields = {}, .format = "csv"});
  EXPECT_EQ(std::ranges::count(text, '\n'), 4);
  EXPECT_TRUE(text.starts_with("time,")) << text;
}

TEST(ScriptLines, RejectFieldsThatWereNotRecorded) {
  data::Reader reader = open_built(busy_and_idle());
  testing::KeptMessages messages;
  ScriptLines lines({.fields = fields_of("comm,phys_addr")}, reader, messages);
  const auto settled = lines.settle_fields();
  ASSERT_FALSE(settled);
  EXPECT_NE(settled.error().message.find("PHYS_ADDR"), std::string::npos) << settled.error().message;
}

TEST(ScriptLines, NeedAClockForTimesOfDay) {
  data::Reader reader = open_built(busy_and_idle());
  testing::KeptMessages messages;
  ScriptLines lines({.fields = fields_of("comm,tod")}, reader, messages);
  ASSERT_TRUE(lines.settle_fields());
  lines.make_plan();
  EXPECT_TRUE(lines.lacks_time_of_day());
}

std::string summary_of(const SummaryRequest& request) {
  data::Reader reader = open_built(busy_and_idle());
  testing::KeptMessages messages;
  ScriptLines lines({.fields = {}}, reader, messages);
  EXPECT_TRUE(lines.settle_fields());
  std::string error;
  const std::string text = printed_text([&](Sink& out) {
    const auto done = print_summary(
        request,
        {.reader = reader, .formats = lines.formats(), .names = lines.names(), .filter = {}, .places = no_symbols()},
        out, messages);
    if (!done) error = done.error().message;
  });
  return error.empty() ? text : "error: " + error;
}

TEST(ScriptSummary, CountsSamplesByAField) {
  const std::string text = summary_of({.count_by = "comm"});
  EXPECT_NE(text.find("busy"), std::string::npos) << text;
  EXPECT_LT(text.find("busy"), text.find("idle")) << "the most samples first: " << text;
}

TEST(ScriptSummary, RejectsPairsOfUnknownEvents) {
  EXPECT_EQ(summary_of({.pair = "start,end", .pair_key = "tid"}), "error: --pair: this recording has no event 'start'");
  EXPECT_EQ(summary_of({.heat_map = "x.svg"}), "error: --heatmap requires --pair with two events");
}

Result<> folded_into(Sink& out, const std::string& file, testing::KeptMessages& messages) {
  data::Reader reader = open_built(busy_and_idle());
  ProfileFormat format;
  format.name = "folded";
  return write_script_profile({.format = format, .file = file},
                              {.reader = reader, .filter = {}, .gate = {}, .places = no_symbols()}, {.out = out},
                              messages);
}

TEST(ScriptProfile, FoldsTheStacksOfSamples) {
  testing::KeptMessages messages;
  const std::string text = printed_text([&](Sink& out) { EXPECT_TRUE(folded_into(out, "", messages)); });
  EXPECT_NE(text.find("busy;"), std::string::npos) << text;
  EXPECT_NE(text.find(" 20\n"), std::string::npos) << text;
}

// Presses Ctrl-C in the middle of reading, after the reader has started to handle signals.
class InterruptedProfile : public ::testing::Test {
 protected:
  InterruptedProfile() {
    sigset_t interrupt;
    sigemptyset(&interrupt);
    sigaddset(&interrupt, SIGINT);
    ::pthread_sigmask(SIG_BLOCK, &interrupt, &before_);
    ::raise(SIGINT);
  }
  ~InterruptedProfile() override { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  sigset_t before_{};
};

TEST_F(InterruptedProfile, DoesNotWriteAFileOfAPart) {
  testing::KeptMessages messages;
  std::string error;
  const std::string text = printed_text([&](Sink& out) {
    const auto done = folded_into(out, "stacks.txt", messages);
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().system_errno, EINTR);
    error = done.error().message;
  });
  EXPECT_EQ(text, "");
  EXPECT_NE(error.find("did not write 'stacks.txt'"), std::string::npos) << error;
}

TEST_F(InterruptedProfile, ShowsThePartWithoutAFile) {
  testing::KeptMessages messages;
  const std::string text = printed_text([&](Sink& out) { EXPECT_TRUE(folded_into(out, "", messages)); });
  EXPECT_NE(text.find("busy;"), std::string::npos) << text;
  EXPECT_NE(messages.take().find("showing what was read so far"), std::string::npos);
}

TEST(UserScript, SaysWhyAFileCannotBeRead) {
  const TemporaryFolder folder;
  EXPECT_EQ(script_obstacle(folder.write("script.py", "pass")), "");
  EXPECT_EQ(script_obstacle(folder.path("absent.py")), "No such file or directory");
  EXPECT_EQ(script_obstacle(folder.path()), "not a regular file");
}

TEST(StarterScript, HasTheFrameOfAScriptWithoutTracepoints) {
  const data::Reader reader = open_built(busy_and_idle());
  EXPECT_NE(starter_script(script::Language::Python, reader).find("def trace_begin"), std::string::npos);
  EXPECT_NE(starter_script(script::Language::Perl, reader).find("sub trace_begin"), std::string::npos);
}

}  // namespace
}  // namespace peregrine
