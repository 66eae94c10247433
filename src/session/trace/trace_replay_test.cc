#include "session/trace/trace_replay.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <initializer_list>
#include <string>
#include <utility>

#include "abi/arch/registers.h"
#include "abi/record_rows.h"
#include "machine/dso/dso.h"
#include "machine/machine.h"
#include "support/built_recording.h"
#include "support/perf_data_builder.h"

namespace peregrine {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr u64 kClose = 3;  // its number on x86-64

std::string words_as_hex(std::initializer_list<u64> words) {
  std::string text;
  for (const u64 word : words)
    for (unsigned i = 0; i < 8; ++i) text += fmt::format("{:02x}", word >> 8 * i & 0xff);
  return text;
}

// A recording of raw_syscalls:sys_enter and sys_exit, and of an event app:event.
class CallRecording {
 public:
  CallRecording() {
    for (const char* name : {"raw_syscalls:sys_enter", "raw_syscalls:sys_exit", "app:event"})
      data_.attr({{"name", name},
                  {"type", 2},
                  {"config", 1},
                  {"sample", "identifier,ip,tid,time,raw"},
                  {"flags", "comm,comm_exec,sample_id_all"},
                  {"ids", ++events_}});
    data_.feature("event_desc");
  }
  // A call of close(), which succeeds after 4 µs unless specified otherwise.
  void close(u32 tid, u64 descriptor, i64 result = 0, u64 ns = 4000) {
    add(0, tid, words_as_hex({0, kClose, descriptor, 0, 0, 0, 0, 0}), 1000);
    add(1, tid, words_as_hex({0, kClose, static_cast<u64>(result)}), ns);
  }
  // A sample of another event, without fields.
  void hit(u32 tid) { add(2, tid, words_as_hex({0}), 1000); }
  void exec(u32 tid, const char* comm) {
    time_ += 1000;
    data_.record("comm", {{"pid", tid}, {"tid", tid}, {"comm", comm}, {"time", time_}, {"misc", 0x2000}, {"id", 1}});
  }

  std::string lines(const TraceRequest& request, TraceReplaySource source = {}) const {
    data::Reader reader = support::open_built(data_);
    SymbolPlaces places;
    places.load = false;
    Machine machine(std::move(places));
    Sink out;
    TracePrinter printer(request, out, false, false, abi::Arch::X86);
    printer.sum_up();
    TraceReplay lines(request, reader, printer, out, std::move(source));
    ReplayOptions options;
    options.workers = 1;
    options.shown.set(static_cast<std::size_t>(abi::RecordType::Comm));
    EXPECT_TRUE(Replay(reader, machine, std::move(options)).run(lines));
    printer.flush();
    if (request.summing()) printer.write_summary();
    return std::string(out.text());
  }

 private:
  void add(std::size_t event, u32 tid, const std::string& raw, u64 ns) {
    time_ += ns;
    data_.record("sample", {{"id", event + 1}, {"pid", tid}, {"tid", tid}, {"time", time_}, {"raw", raw}}, event);
  }
  support::PerfDataBuilder data_;
  u32 events_ = 0;
  u64 time_ = 1'000'000;
};

TEST(TraceReplay, PutsEntryAndExitTogether) {
  CallRecording recording;
  recording.close(7, 5);
  const std::string lines = recording.lines({});
  EXPECT_THAT(lines, HasSubstr("( 0.004 ms)"));
  EXPECT_THAT(lines, HasSubstr("close(fd: 5"));
  EXPECT_THAT(lines, HasSubstr("= 0"));
}

// The row of close() in a summary: "close  CALLS  ERRORS".
bool has_sum(const std::string& lines, u64 calls, u64 errors) {
  return lines.find(fmt::format("   {:<15} {:>8} {:>6} ", "close", calls, errors)) != std::string::npos;
}

TEST(TraceReplay, ShowsOnlyTheChosenCallsAndEvents) {
  CallRecording recording;
  recording.close(7, 1);
  recording.hit(7);
  TraceRequest calls;
  std::vector<std::string> others;
  ASSERT_TRUE(calls.calls.add("close", others));
  EXPECT_THAT(recording.lines(calls), HasSubstr("fd: 1"));
  EXPECT_THAT(recording.lines(calls), Not(HasSubstr("app:event")));
  TraceRequest events;
  events.events.push_back({.name = "app:event", .attr = {.type = 2, .config = 5}});
  EXPECT_THAT(recording.lines(events), HasSubstr("app:event"));
  EXPECT_THAT(recording.lines(events), Not(HasSubstr("fd: 1")));
  events.events.front().name = "app:other";
  EXPECT_EQ(recording.lines(events), "");
}

TEST(TraceReplay, SumsCallsThatHaveNoLine) {
  CallRecording recording;
  recording.close(7, 1);
  recording.close(7, 2, -9);
  recording.close(7, 3, 0, 3'000'000);
  TraceRequest failed;
  failed.summary_too = failed.only_failed = true;
  const std::string failures = recording.lines(failed);
  EXPECT_THAT(failures, Not(HasSubstr("fd: 1")));
  EXPECT_THAT(failures, HasSubstr("fd: 2"));
  EXPECT_TRUE(has_sum(failures, 3, 1)) << failures;
  TraceRequest slow;
  slow.summary_too = true;
  slow.least_ms = 1;
  const std::string slow_lines = recording.lines(slow);
  EXPECT_THAT(slow_lines, Not(HasSubstr("fd: 2")));
  EXPECT_THAT(slow_lines, HasSubstr("fd: 3"));
  EXPECT_TRUE(has_sum(slow_lines, 3, 1)) << slow_lines;
}

TEST(TraceReplay, ShowsLinesOfEventsAboveASummary) {
  CallRecording recording;
  recording.close(7, 1);
  recording.hit(7);
  TraceRequest request;
  request.summary = true;
  const std::string lines = recording.lines(request);
  EXPECT_THAT(lines, HasSubstr("app:event("));
  EXPECT_THAT(lines, Not(HasSubstr("fd: 1")));
  EXPECT_TRUE(has_sum(lines, 1, 0)) << lines;
}

TEST(TraceReplay, StopsAfterTheRequestedNumberOfLines) {
  CallRecording recording;
  for (u64 descriptor = 1; descriptor <= 3; ++descriptor) recording.close(7, descriptor);
  TraceRequest request;
  request.max_events = 2;
  const std::string lines = recording.lines(request);
  EXPECT_EQ(std::ranges::count(lines, '\n'), 2);
  EXPECT_THAT(lines, Not(HasSubstr("fd: 3")));
}

TEST(TraceReplay, CountsTimesFromTheFirstEvent) {
  CallRecording recording;
  recording.close(7, 1);
  recording.close(7, 2, -9);
  TraceRequest request;
  request.only_failed = true;
  EXPECT_THAT(recording.lines(request), HasSubstr(" 0.005 ( 0.004 ms): "));
}

TEST(TraceReplay, ShowsNothingOfHiddenTasks) {
  CallRecording recording;
  recording.close(7, 1);
  recording.close(8, 2);
  const std::string lines = recording.lines({}, {.hidden = {7}});
  EXPECT_THAT(lines, Not(HasSubstr("fd: 1")));
  EXPECT_THAT(lines, HasSubstr("fd: 2"));
}

TEST(TraceReplay, ShowsTheCommandFromItsExecOn) {
  CallRecording recording;
  recording.close(7, 1);
  recording.exec(7, "prog");
  recording.close(7, 2);
  const std::string lines = recording.lines({}, {.workload = 7});
  EXPECT_THAT(lines, Not(HasSubstr("fd: 1")));
  EXPECT_THAT(lines, HasSubstr("fd: 2"));
}

}  // namespace
}  // namespace peregrine
