// The output of a stat session in each format: counts of intervals and of whole runs, live and from a recording.
#include "session/counting/stat_printer.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <initializer_list>
#include <string_view>

#include "analysis/stat/stat_place.h"
#include "capture/counter.h"
#include "data/reader/reader.h"
#include "event/spec.h"
#include "pipeline/counting/stat_reader.h"
#include "session/counting/recorded_counts.h"
#include "support/built_recording.h"
#include "support/perf_data_builder.h"

namespace peregrine {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

// One event that counts, one that stays at 0, and one that the machine does not have.
class PrintedCounts : public ::testing::Test {
 protected:
  PrintedCounts() {
    for (const char* name : {"faults", "idle", "missing"}) {
      EventSpec spec;
      spec.name = name;
      spec.attr.type = 1;
      spec.attr.config = events_.size() + 2;
      spec.leader = events_.size();
      events_.push_back(spec);
    }
  }
  StatTable table(u64 faults = 50) const {
    StatTable made(events_, {true, true, false}, {});
    made.add_run(std::vector<CounterReading>{{0, -1, 1, faults, 1000, 1000}, {1, -1, 1, 0, 1000, 1000}},
                 {.wall_ns = 1'000'000'000});
    return made;
  }
  // The output for intervals of 1 s, followed by the totals.
  std::string printed(const StatStyle& style, unsigned intervals = 0, bool total = true) const {
    Sink out;
    StatPrinter printer(style, out);
    for (unsigned i = 1; i <= intervals; ++i) printer.interval(table(i), u64{i} * 1'000'000'000);
    const StatTable all = table();
    if (total) printer.total(all, std::nullopt);
    printer.finish(total ? &all : nullptr, std::nullopt);
    return out.take();
  }

  EventList events_;
};

unsigned count_of(std::string_view text, std::string_view part) {
  unsigned count = 0;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + part.size())) ++count;
  return count;
}

TEST_F(PrintedCounts, OfARunHaveATitleForPeople) {
  const std::string text = printed({.subject = "'true'"});
  EXPECT_THAT(text, StartsWith("\n Performance counter stats for 'true':\n\n"));
  EXPECT_THAT(text, HasSubstr("                50      faults"));
  EXPECT_THAT(text, HasSubstr("   <not supported>      missing"));
  EXPECT_THAT(text, HasSubstr(" seconds time elapsed\n"));
}

// Fields: count, unit, event, ns run, percentage of the time.
TEST_F(PrintedCounts, OfARunAreLinesOfCsv) {
  const std::string text = printed({.separator = ";"});
  EXPECT_THAT(text, StartsWith("50;;faults;1000;100.00;"));
  EXPECT_EQ(count_of(text, "\n"), 3u);
  EXPECT_THAT(text, HasSubstr("\n0;;idle;1000;100.00;"));
  EXPECT_THAT(text, HasSubstr("\n<not supported>;;missing;0;"));
}

TEST_F(PrintedCounts, OfARunAreLinesOfJson) {
  const std::string text = printed({.json = true});
  EXPECT_EQ(count_of(text, "\n"), 3u);
  EXPECT_THAT(text, StartsWith("{\"counter-value\" : \"50.000000\""));
  EXPECT_THAT(text, HasSubstr("\"event\" : \"missing\""));
}

TEST_F(PrintedCounts, LeaveOutZerosOnRequest) {
  EXPECT_THAT(printed({.separator = ",", .hide_zeros = true}), Not(HasSubstr("idle")));
  EXPECT_THAT(printed({.separator = ",", .hide_zeros = true}), HasSubstr("missing")) << "no count is not 0";
  EXPECT_THAT(printed({.separator = ",", .hides_idle = true}), Not(HasSubstr("missing")));
}

TEST_F(PrintedCounts, OfIntervalsBeginWithTheTime) {
  const std::string text = printed({.separator = ",", .interval_ms = 1000}, 2);
  EXPECT_THAT(text, StartsWith("     1.000000000,1,,faults,"));
  EXPECT_THAT(text, HasSubstr("\n     2.000000000,2,,faults,"));
  EXPECT_EQ(count_of(text, "faults"), 2u) << "no totals unless --summary asks";
}

TEST_F(PrintedCounts, OfIntervalsEndWithTotalsOnRequest) {
  const StatStyle style{.separator = ",", .interval_ms = 1000, .summary = true};
  EXPECT_THAT(printed(style, 1), HasSubstr("\n         summary,50,,faults,"));
  StatStyle plain = style;
  plain.no_csv_summary = true;
  EXPECT_THAT(printed(plain, 1), HasSubstr("\n50,,faults,"));
  EXPECT_THAT(printed({.subject = "'true'", .interval_ms = 1000, .summary = true}, 1),
              HasSubstr("Performance counter stats for 'true'"));
}

TEST_F(PrintedCounts, OfIntervalsRepeatTheTitleEach25) {
  const auto titles = [&](unsigned intervals) {
    return count_of(printed({.interval_ms = 1000}, intervals, false), "#           time");
  };
  EXPECT_EQ(titles(1), 1u);
  EXPECT_EQ(titles(25), 1u);
  EXPECT_EQ(titles(26), 2u);
}

TEST_F(PrintedCounts, OfIntervalsClearTheScreenOnRequest) {
  EXPECT_THAT(printed({.interval_ms = 1000, .interval_clear = true}, 2, false), StartsWith("\033[2J\033[1;1H"));
  EXPECT_THAT(printed({.json = true, .interval_ms = 1000, .interval_clear = true}, 1, false), StartsWith("{"))
      << "a program reads it";
}

TEST_F(PrintedCounts, AsJsonLinesBeginAndEndWithTheRun) {
  const StatStyle style{
      .subject = "'true'", .creator = "falcon 1", .json = true, .json_lines = true, .interval_ms = 1000};
  const std::string text = printed(style, 1, false);
  const std::string first = text.substr(0, text.find('\n'));
  EXPECT_THAT(first, HasSubstr("falcon 1"));
  EXPECT_EQ(count_of(text, "falcon 1"), 1u);
  EXPECT_EQ(count_of(text, "\n"), 5u) << "the start, three rows, the end";
}

TEST_F(PrintedCounts, SayWhenTheyBegan) {
  Sink out;
  StatPrinter({.separator = ","}, out).start_time();
  EXPECT_THAT(out.take(), StartsWith("# started on "));
  StatPrinter({.json = true}, out).start_time();
  EXPECT_EQ(out.take(), "") << "JSON has no comments";
}

// A recording of two intervals of a counter on two CPUs or, with `threads`, of two threads.
class RecordedCounts {
 public:
  explicit RecordedCounts(bool threads = false, u64 interval_ms = 1000) : threads_(threads) {
    data_.attr({{"name", "faults"}, {"type", 1}, {"config", 2}, {"sample", "identifier"}, {"ids", 1}});
    data_.feature("event_desc").feature("cmdline", {{"words", "perf stat record load"}});
    const std::string comm_end(30, '0');
    data_.record("thread_map",
                 {{"count", 2}, {"entries", words({11}) + "61" + comm_end + words({12}) + "62" + comm_end}});
    data_.record("cpu_map", {{"kind", 0}, {"cpus", threads ? "0100ffff" : "020000000100"}});
    // The settings: aggregation over all CPUs, the interval, scaled counts.
    data_.record("stat_config", {{"count", 3}, {"entries", words({0, 1, 1, interval_ms, 2, 1})}});
  }
  RecordedCounts& round(u64 first, u64 second, u64 time, bool last = false) {
    for (const u64 at : {0, 1})
      data_.record("stat", {{"of_id", 1},
                            {"on_cpu", threads_ ? 0xffffffff : at},
                            {"thread", threads_ ? at : 0},
                            {"count", at == 0 ? first : second},
                            {"enabled", time},
                            {"running", time}});
    data_.record("stat_round", {{"last", last}, {"at", time}});
    return *this;
  }
  std::string printed(StatStyle style, std::optional<StatAggregation> aggregation = {}) const {
    data::Reader reader = support::open_built(data_);
    auto counts = StatReader::open(reader);
    if (!counts) return counts.error().message;
    const auto layout = recorded_layout(*counts, aggregation);
    if (!layout) return layout.error().message + "; " + layout.error().hint;
    Sink out;
    StatPrinter printer(std::move(style), out);
    const auto done = print_recorded_counts(*counts, *layout, printer);
    return done ? out.take() : done.error().message;
  }
  std::string command() const {
    data::Reader reader = support::open_built(data_);
    return recorded_command(*StatReader::open(reader));
  }

 private:
  static std::string words(std::initializer_list<u64> values) {
    std::string hex;
    for (const u64 value : values)
      for (unsigned i = 0; i < 8; ++i) hex += fmt::format("{:02x}", value >> 8 * i & 0xff);
    return hex;
  }
  bool threads_;
  support::PerfDataBuilder data_;
};

constexpr u64 kOneSecond = 1'000'000'000;

// Readings are running totals; an interval shows the increase.
TEST(RecordedCounts, OfIntervalsAreDifferences) {
  RecordedCounts counts;
  counts.round(10, 1, kOneSecond).round(15, 2, 2 * kOneSecond).round(15, 4, 2 * kOneSecond, true);
  const std::string text = counts.printed({.separator = ",", .interval_ms = 1000, .summary = true});
  EXPECT_THAT(text, StartsWith("     1.000000000,11,,faults,"));
  EXPECT_THAT(text, HasSubstr("\n     2.000000000,6,,faults,"));
  EXPECT_THAT(text, HasSubstr("\n         summary,19,,faults,"));
}

TEST(RecordedCounts, OfAWholeRunAreTheLastTotals) {
  RecordedCounts counts(false, 0);
  counts.round(15, 4, 2 * kOneSecond, true);
  EXPECT_THAT(counts.printed({.separator = ","}), StartsWith("19,,faults,"));
}

TEST(RecordedCounts, CanBeShownByCpu) {
  RecordedCounts counts(false, 0);
  counts.round(15, 4, 2 * kOneSecond, true);
  const std::string text = counts.printed({.separator = ","}, StatAggregation::Cpu);
  EXPECT_THAT(text, StartsWith("CPU0,15,,faults,"));
  EXPECT_THAT(text, HasSubstr("\nCPU1,4,,faults,"));
}

TEST(RecordedCounts, OfThreadsHaveNoCpus) {
  RecordedCounts counts(true, 0);
  counts.round(15, 4, 2 * kOneSecond, true);
  EXPECT_EQ(counts.printed({}, StatAggregation::Cpu),
            "the counts were recorded per thread, not per CPU; 'stat record -a' counts per CPU; without an option, "
            "counts are "
            "summed as recorded");
  const std::string text = counts.printed({.separator = ","}, StatAggregation::Thread);
  EXPECT_THAT(text, HasSubstr("a-11,15,,faults,"));
  EXPECT_THAT(text, HasSubstr("b-12,4,,faults,"));
}

TEST(RecordedCounts, NameTheRecordedCommand) { EXPECT_EQ(RecordedCounts().command(), "'perf stat record load'"); }

}  // namespace
}  // namespace peregrine
