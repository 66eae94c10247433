// The output of sched for a recording of switches: two tasks that take turns on two CPUs.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "analysis/sched/sched_latency.h"
#include "analysis/sched/schedstat_change.h"
#include "base/result.h"
#include "base/types.h"
#include "data/reader/reader.h"
#include "machine/dso/dso.h"
#include "machine/machine.h"
#include "output/sink.h"
#include "session/recording/opened_recording.h"
#include "session/recording/traced_recording.h"
#include "session/sched/sched_session.h"
#include "session/sched/schedstat_session.h"
#include "session/session_listener.h"
#include "support/built_recording.h"
#include "support/kept_messages.h"
#include "support/perf_data_builder.h"
#include "support/tracepoint_recording.h"

namespace peregrine {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;

constexpr u64 kMillisecond = 1'000'000;

// Times are in ms. Task 5 is "reader", task 6 "writer"; state 0 is runnable, 1 is asleep.
class SwitchRecording : public support::TracepointRecording {
 public:
  explicit SwitchRecording(std::string sample = "identifier,ip,tid,time,cpu,raw")
      : TracepointRecording(std::move(sample)) {
    event("sched:sched_switch",
          {"prev_comm[16]", "prev_pid", "prev_prio", "prev_state", "next_comm[16]", "next_pid", "next_prio"});
    event("sched:sched_wakeup", {"comm[16]", "pid", "prio", "success", "target_cpu"});
    event("sched:sched_stat_runtime", {"pid", "runtime"});
    comm(5, "reader");
    comm(6, "writer");
  }
  SwitchRecording& change(u64 ms, u32 cpu, u32 leaves, u32 comes, u64 state = 1) {
    hit("sched:sched_switch", {.time = ms * kMillisecond, .cpu = cpu, .pid = leaves, .tid = leaves},
        {name_of(leaves), leaves, 120, state, name_of(comes), comes, 120});
    return *this;
  }
  SwitchRecording& wake(u64 ms, u32 task, u32 cpu = 0) {
    hit("sched:sched_wakeup", {.time = ms * kMillisecond, .cpu = cpu, .pid = 0, .tid = 0},
        {name_of(task), task, 120, 1, cpu});
    return *this;
  }
  SwitchRecording& ran(u64 ms, u32 task, u64 runtime_ms) {
    hit("sched:sched_stat_runtime", {.time = ms * kMillisecond, .pid = task, .tid = task},
        {task, runtime_ms * kMillisecond});
    return *this;
  }
  TracedRecording open() const {
    SymbolPlaces places;
    places.load = false;
    TracedRecording recording;
    recording.reader = std::make_unique<OpenedRecording>(support::open_built(*this));
    recording.machine = std::make_unique<Machine>(std::move(places));
    return recording;
  }

 private:
  static const char* name_of(u32 task) { return task == 5 ? "reader" : task == 6 ? "writer" : "swapper"; }
};

// Reader runs from 12 to 20 after a delay of 2 ms, writer from 25 to 30 after 4 ms.
SwitchRecording two_tasks() {
  SwitchRecording recording;
  recording.change(1, 0, 5, 0).change(2, 0, 6, 0);
  recording.wake(10, 5).change(12, 0, 0, 5, 0).ran(20, 5, 8).change(20, 0, 5, 0);
  recording.wake(21, 6).change(25, 0, 0, 6, 0).ran(30, 6, 5).change(30, 0, 6, 0);
  return recording;
}

struct ShownSchedule {
  std::string text, messages, error;
  std::vector<std::string> lines() const {
    std::vector<std::string> all;
    for (std::size_t at = 0, end; (end = text.find('\n', at)) != text.npos; at = end + 1)
      all.push_back(text.substr(at, end - at));
    return all;
  }
};
template <class Show>
ShownSchedule shown_schedule(const SwitchRecording& recording, const Show& show) {
  TracedRecording opened = recording.open();
  Sink out;
  testing::KeptMessages messages;
  const Result<> done = show(opened, out, messages);
  return {.text = out.take(), .messages = messages.take(), .error = done ? "" : done.error().message};
}

ShownSchedule shown_delays(const SwitchRecording& recording, const DelayRequest& request) {
  return shown_schedule(recording, [&](TracedRecording& opened, Sink& out, SessionListener& listener) {
    return show_delays(opened, request, out, listener);
  });
}

TEST(SchedDelays, AreSortedByTheFirstKey) {
  const ShownSchedule longest = shown_delays(two_tasks(), {.order = {SchedLatencyKey::Most}});
  EXPECT_EQ(longest.error, "");
  EXPECT_LT(longest.text.find("writer:6"), longest.text.find("reader:5"));
  EXPECT_THAT(longest.text, HasSubstr("max:   4.000 ms"));
  EXPECT_THAT(longest.text, HasSubstr("max start:     0.021000 s"));
  EXPECT_THAT(longest.text, HasSubstr("max end:     0.025000 s"));
  const ShownSchedule busiest = shown_delays(two_tasks(), {.order = {SchedLatencyKey::Runtime}});
  EXPECT_LT(busiest.text.find("reader:5"), busiest.text.find("writer:6"));
  EXPECT_THAT(busiest.text, HasSubstr("TOTAL:"));
  EXPECT_THAT(busiest.text, HasSubstr("13.000 ms"));
}

TEST(SchedDelays, OfASpanOfTime) {
  const ShownSchedule part = shown_delays(two_tasks(), {.times = "0.015,0.040", .order = {SchedLatencyKey::Most}});
  EXPECT_THAT(part.text, HasSubstr("writer:6"));
  EXPECT_THAT(part.text, Not(HasSubstr("max:   2.000 ms"))) << "the reader's delay was before";
  EXPECT_EQ(shown_delays(two_tasks(), {.times = "0.010,0.015 0.020,0.030"}).error, "--time must be a single time span");
}

ShownSchedule shown_map(const SwitchRecording& recording, const SwitchMapRequest& request) {
  return shown_schedule(recording, [&](TracedRecording& opened, Sink& out, SessionListener& listener) {
    return show_switch_map(opened, request, out, listener);
  });
}

TEST(SchedMap, HasALineForEachSwitch) {
  const std::vector<std::string> lines = shown_map(two_tasks(), {}).lines();
  ASSERT_THAT(lines, SizeIs(6));
  EXPECT_THAT(lines[2], HasSubstr("0.012000 secs A0 => reader:5"));
  EXPECT_THAT(lines[4], HasSubstr("0.025000 secs B0 => writer:6"));
  EXPECT_THAT(lines[5], Not(HasSubstr("=>"))) << "both names are known by now";
}

TEST(SchedMap, ShowsChosenTasksOnly) {
  const ShownSchedule map = shown_map(two_tasks(), {.tasks = {"writer"}});
  EXPECT_THAT(map.text, Not(HasSubstr("reader")));
  EXPECT_THAT(map.text, HasSubstr("writer:6"));
  EXPECT_THAT(shown_map(two_tasks(), {.tasks = {"rea"}, .fuzzy = true}).text, HasSubstr("reader:5"));
}

// A line has a column for each CPU, so a few bytes of a hostile recording could produce gigabytes.
TEST(SchedMap, BoundsTheColumns) {
  SwitchRecording recording;
  for (u32 cpu = 0; cpu < 1100; ++cpu) recording.change(1 + cpu, cpu, 0, 5, 0);
  const ShownSchedule map = shown_map(recording, {});
  EXPECT_THAT(map.lines(), SizeIs(1024));
  EXPECT_EQ(map.messages,
            "warning: 76 switches on further CPUs are not shown: at most 1024 columns (choose CPUs with --cpus)\n");
}

ShownSchedule shown_history(const SwitchRecording& recording, const TimeHistoryRequest& request) {
  return shown_schedule(recording, [&](TracedRecording& opened, Sink& out, SessionListener& listener) {
    return show_time_history(opened, request, out, listener);
  });
}

TEST(SchedTimeHistory, HasALineForEachRunUnderTitles) {
  const ShownSchedule history = shown_history(two_tasks(), {.chains = false});
  EXPECT_EQ(history.messages, "");
  const std::vector<std::string> lines = history.lines();
  ASSERT_THAT(lines.size(), ::testing::Ge(4u));
  EXPECT_THAT(lines[0], HasSubstr("time"));
  // A run of 8 ms, 2 ms after the wake-up.
  EXPECT_THAT(history.text, ::testing::ContainsRegex("0\\.020000 .*reader.* 2\\.000 +8\\.000"));
  EXPECT_THAT(history.text, ::testing::ContainsRegex("0\\.030000 .*writer.* 4\\.000 +5\\.000"));
}

TEST(SchedTimeHistory, EndsWithSumsOnRequest) {
  const ShownSchedule sums = shown_history(two_tasks(), {.chains = false, .lines = false, .sums = true});
  EXPECT_THAT(sums.text, HasSubstr("Runtime summary"));
  EXPECT_THAT(sums.text, HasSubstr("reader"));
  EXPECT_THAT(sums.text, Not(HasSubstr("0.020000 [")));
}

TEST(SchedTimeHistory, NeedsChainsOnlyIfTheyAreWanted) {
  EXPECT_THAT(shown_history(two_tasks(), {.look = {.chain_depth = 5}}).messages,
              StartsWith("Samples do not have callchains.\n"));
  EXPECT_EQ(shown_history(two_tasks(), {.times = "0.01,0.02 0.03,0.04"}).error, "--time must be a single time span");
}

// Lines of /proc/schedstat version 15: a CPU has six 32-bit counters and three 64-bit counters.
class StatisticsRecording {
 public:
  StatisticsRecording() { data_.attr({{"sample", "ip,tid,time"}}); }
  StatisticsRecording& cpu(u32 number, u64 jiffies, u64 counter, std::size_t bytes = 48) {
    std::string hex = hex_of(counter, 4);
    hex.resize(2 * bytes, '0');
    data_.record("schedstat_cpu", {{"at", jiffies}, {"on_cpu", number}, {"version", 15}, {"counters", hex}});
    return *this;
  }
  Result<SchedstatChange> change(testing::KeptMessages& messages) const {
    data::Reader reader = support::open_built(data_);
    return recorded_schedstats(reader, "perf.data", messages);
  }

 private:
  static std::string hex_of(u64 value, unsigned width) {
    std::string hex;
    for (unsigned i = 0; i < width; ++i) hex += fmt::format("{:02x}", value >> 8 * i & 0xff);
    return hex;
  }
  support::PerfDataBuilder data_;
};

TEST(RecordedSchedstats, AreTheDifferenceOfTwoReadings) {
  testing::KeptMessages messages;
  const auto change =
      StatisticsRecording().cpu(0, 1000, 50).cpu(1, 1000, 7).cpu(0, 1250, 80).cpu(1, 1250, 7).change(messages);
  ASSERT_TRUE(change) << change.error().message;
  EXPECT_EQ(change->version, 15u);
  EXPECT_EQ(change->jiffies, 250u);
  ASSERT_THAT(change->cpus, SizeIs(2));
  EXPECT_EQ(change->cpus[0].values.at(0), 30u);
  EXPECT_EQ(change->cpus[1].values.at(0), 0u);
  EXPECT_EQ(messages.take(), "");
}

TEST(RecordedSchedstats, SkipShortRecordsWithAWarning) {
  testing::KeptMessages messages;
  const auto change = StatisticsRecording().cpu(0, 1000, 50).cpu(0, 1100, 60, 8).cpu(0, 1250, 80).change(messages);
  ASSERT_TRUE(change) << change.error().message;
  EXPECT_EQ(change->cpus.at(0).values.at(0), 30u);
  EXPECT_EQ(messages.take(), "warning: 1 record was skipped: it is too short, or of an unsupported version\n");
}

TEST(RecordedSchedstats, NeedASecondReading) {
  testing::KeptMessages messages;
  const auto change = StatisticsRecording().cpu(0, 1000, 50).change(messages);
  ASSERT_FALSE(change);
  EXPECT_EQ(change.error().kind, ErrorKind::Unsupported);
}

}  // namespace
}  // namespace peregrine
