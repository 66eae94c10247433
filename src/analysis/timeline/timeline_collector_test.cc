#include "analysis/timeline/timeline_collector.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <span>
#include <utility>

#include "analysis/timeline/timeline_queries.h"
#include "support/tracepoint_recording.h"

namespace peregrine {
namespace {

using support::ReplayedRecording;
using support::TracepointRecording;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

// Two tasks on one CPU: five reads, sleeps in it, is woken by six, and an interrupt comes between.
class BusyRecording : public TracepointRecording {
 public:
  BusyRecording() {
    event("sched:sched_switch", {"prev_pid", "next_pid", "prev_state", "prev_comm[16]", "next_comm[16]"});
    event("sched:sched_wakeup", {"pid", "success", "comm[16]"});
    event("syscalls:sys_enter_read", {"fd"});
    event("syscalls:sys_exit_read", {"ret"});
    event("irq:irq_handler_entry", {"irq", "name[16]"});
    event("irq:irq_handler_exit", {"irq", "ret"});
    event("power:cpu_frequency", {"state", "cpu_id"});
    change(100, 0, 5, "swapper", "five");
    hit("power:cpu_frequency", {.time = 105, .pid = 5, .tid = 5}, {2'000'000, 0});
    hit("syscalls:sys_enter_read", {.time = 110, .pid = 5, .tid = 5}, {3});
    change(150, 5, 6, "five", "six");
    hit("irq:irq_handler_entry", {.time = 160, .pid = 6, .tid = 6}, {9, "disk"});
    hit("irq:irq_handler_exit", {.time = 165, .pid = 6, .tid = 6}, {9, 1});
    hit("sched:sched_wakeup", {.time = 180, .pid = 6, .tid = 6}, {5, 1, "five"});
    change(200, 6, 5, "six", "five", 2);
    hit("syscalls:sys_exit_read", {.time = 220, .pid = 5, .tid = 5}, {4096});
  }
  void change(u64 time, u32 leaves, u32 comes, const char* left, const char* came, u64 state = 1) {
    hit("sched:sched_switch", {.time = time, .pid = leaves, .tid = leaves}, {leaves, comes, state, left, came});
  }
};

Timeline timeline_of(const TracepointRecording& recording, std::size_t block_rows = 1U << 16) {
  ReplayedRecording replayed(recording);
  TimelineCollector collector(replayed.reader(), {.names = {}, .block_rows = block_rows});
  replayed.run(collector);
  EXPECT_TRUE(collector.outcome());
  return collector.finish();
}

std::vector<std::string> states_of(const Timeline& timeline, u32 tid) {
  std::vector<std::string> texts;
  for (const TimelineBlock& block : timeline.blocks)
    for (const TaskSlice& row : unpack_rows(block.lanes).states)
      if (timeline.tasks[row.task].tid == tid)
        texts.push_back(fmt::format("{}{}-{}", row.state, row.start, row.start + row.length));
  return texts;
}

TEST(TimelineCollector, FollowsTasks) {
  const Timeline timeline = timeline_of(BusyRecording());
  EXPECT_EQ(timeline.start, 100U);
  EXPECT_EQ(timeline.length, 121U);
  EXPECT_EQ(timeline.event_count, 9U);
  EXPECT_THAT(states_of(timeline, 5), ElementsAre(">0-50", "S50-80", "R80-100", ">100-121"));
  EXPECT_THAT(timeline.cpus, ElementsAre(0U));
}

TEST(TimelineCollector, FindsSystemCallsInterruptsAndFrequencies) {
  const Timeline timeline = timeline_of(BusyRecording());
  const TimelineRows rows = unpack_rows(timeline.blocks.at(0).lanes);
  std::vector<std::string> slices;
  for (const LaneSlice& row : rows.slices)
    slices.push_back(fmt::format("{} {} {}-{}", kSliceKindNames[static_cast<std::size_t>(row.kind)],
                                 timeline.texts[row.name], row.start, row.start + row.length));
  EXPECT_THAT(slices, ElementsAre("interrupt disk 60-65", "system call read 10-120"));
  ASSERT_EQ(rows.steps.size(), 1U);
  EXPECT_EQ(rows.steps[0].value, 2'000'000U);
}

TEST(TimelineCollector, EachBlockCanBeDrawnAlone) {
  const Timeline timeline = timeline_of(BusyRecording(), 4);
  ASSERT_GT(timeline.blocks.size(), 2U);
  for (std::size_t at = 1; at < timeline.blocks.size(); ++at) {
    EXPECT_EQ(timeline.blocks[at].first, timeline.blocks[at - 1].last);
    EXPECT_FALSE(unpack_rows(timeline.blocks[at].lanes).steps.empty()) << "the frequency is known in each block";
  }
  u64 events = 0;
  for (const TimelineBlock& block : timeline.blocks) events += block.events;
  EXPECT_EQ(events, timeline.event_count);
}

// Knows its second event after two samples only, as in a pipe.
class LateEvents : public TimelineCollector {
 public:
  explicit LateEvents(data::Reader& reader) : TimelineCollector(reader, {}), reader_(reader) {}
  void sample(const ReplaySample& sample, Resolver& resolver, unsigned worker) override {
    TimelineCollector::sample(sample, resolver, worker);
    if (++count_ != 2) return;
    data::Event late = reader_.evlist()[0];
    late.ids.clear();
    reader_.evlist().add(std::move(late));
    begin_batch();
  }

 private:
  data::Reader& reader_;
  unsigned count_ = 0;
};

TEST(TimelineCollector, KeepsFieldsWhenEventsArriveLate) {
  TracepointRecording recording;
  recording.event("test:one", {"number"});
  for (u64 at = 1; at <= 4; ++at) recording.hit("test:one", {.time = 100 * at}, {at});
  data::Reader reader = support::open_built(recording);
  SymbolPlaces places;
  places.load = false;
  Machine machine(std::move(places));
  ReplayOptions options;
  options.workers = 1;
  LateEvents collector(reader);
  ASSERT_TRUE(Replay(reader, machine, std::move(options)).run(collector));
  const Timeline timeline = collector.finish();
  ASSERT_EQ(timeline.types.size(), 2U);
  TimelineQueries queries(timeline);
  std::vector<std::string> numbers;
  for (auto at = queries.first_at(0, {}); at; at = queries.next(*at, true, {}))
    numbers.push_back(queries.text(*at).fields.at(0).second);
  EXPECT_THAT(numbers, ElementsAre("1", "2", "3", "4"));
}

TEST(TimelineCollector, LimitsCpusOfEventsWithoutOne) {
  TracepointRecording recording;
  recording.event("power:cpu_idle", {"state"});
  for (const u32 cpu : {3U, 70'000U, 80'000U}) recording.hit("power:cpu_idle", {.time = 100, .cpu = cpu}, {1});
  EXPECT_THAT(timeline_of(recording).cpus, ElementsAre(3U, 8191U));
}

TEST(TimelineCollector, SaysWhatIsMissing) {
  TracepointRecording empty;
  empty.event("sched:sched_switch", {"prev_pid", "next_pid", "prev_state"});
  ReplayedRecording replayed(empty);
  TimelineCollector collector(replayed.reader(), {});
  replayed.run(collector);
  ASSERT_FALSE(collector.outcome());
  EXPECT_THAT(collector.outcome().error().message, HasSubstr("no samples"));
}

TEST(TimelineCollector, LimitsTexts) {
  ReplayedRecording replayed{BusyRecording()};
  TimelineCollector collector(replayed.reader(), {.names = {}, .text_bytes = 20});
  replayed.run(collector);
  EXPECT_GT(collector.finish().dropped_texts, 0U);
}

TEST(TimelineQueries, TellsWhatATaskDoes) {
  const Timeline timeline = timeline_of(BusyRecording());
  TimelineQueries queries(timeline);
  ASSERT_EQ(queries.lanes().size(), 3U);
  EXPECT_EQ(queries.lanes()[0].name, "CPU 0");
  EXPECT_EQ(queries.lanes()[1].name, "five 5") << "who ran longest comes first";
  EXPECT_EQ(queries.state_at(queries.lanes()[0], 20), "running five 5");
  EXPECT_EQ(queries.state_at(queries.lanes()[1], 60), "asleep in read()");
  EXPECT_EQ(queries.state_at(queries.lanes()[1], 90), "waiting for a CPU, woken by six 6");
}

TEST(TimelineQueries, ListsTheEventsOfALaneAcrossBlocks) {
  const Timeline timeline = timeline_of(BusyRecording(), 4);
  TimelineQueries queries(timeline);
  const TimelineQueries::Shown shown{.lane = &queries.lanes()[1], .event = "sys_e"};
  std::vector<std::string> events;
  std::optional<EventPlace> last;
  for (auto at = queries.first_at(0, shown); at; at = queries.next(*at, true, shown)) {
    events.push_back(queries.text(*at).event);
    last = at;
  }
  EXPECT_THAT(events, ElementsAre("syscalls:sys_enter_read", "syscalls:sys_exit_read"));
  const auto before = queries.next(*last, false, shown);
  ASSERT_TRUE(before);
  EXPECT_EQ(queries.text(*before).event, "syscalls:sys_enter_read");
  EXPECT_FALSE(queries.next(*before, false, shown));
}

TEST(TimelineQueries, NamesTasksInTheOverview) {
  Timeline timeline;
  timeline.length = 4096;
  timeline.cpus = {0};
  timeline.tasks.resize(3);
  timeline.overview.add_time(SumKind::CpuRuns, 0, 0, 2048, 2);
  timeline.blocks.push_back({.first = 0, .last = 4096, .events = 0, .rows = 2'000'000, .lanes = {}, .fields = {}});
  TimelineQueries queries(timeline);
  const auto cells = queries.cells(std::span(queries.lanes()).first(1), 0, 4096, 4);
  EXPECT_FLOAT_EQ(cells[0][0].runs, 1);
  EXPECT_EQ(cells[0][0].task, 2U);
  EXPECT_EQ(cells[0][1].task, 2U);
  EXPECT_EQ(cells[0][3].task, 0U);
}

TEST(TimelineQueries, HasCellsOfLanes) {
  const Timeline timeline = timeline_of(BusyRecording());
  TimelineQueries queries(timeline);
  const auto cells = queries.cells(queries.lanes(), 0, 100, 4);
  ASSERT_EQ(cells.size(), 3U);
  EXPECT_FLOAT_EQ(cells[0][0].runs, 1);
  EXPECT_EQ(timeline.tasks[cells[0][0].task].comm, "five");
  EXPECT_EQ(timeline.tasks[cells[0][3].task].comm, "six");
  EXPECT_FLOAT_EQ(cells[1][1].runs, 1);
  EXPECT_FLOAT_EQ(cells[1][2].runs, 0);
  EXPECT_FLOAT_EQ(cells[1][3].waits, 0.8F);
}

TEST(TimelineQueries, FindsEventsByTheirFields) {
  const Timeline timeline = timeline_of(BusyRecording(), 4);
  TimelineQueries queries(timeline);
  const auto first = queries.first_at(0, {});
  ASSERT_TRUE(first);
  const auto found = queries.find(*first, true, {}, EventQuery("ret=4096"));
  ASSERT_TRUE(found);
  const TimelineText text = queries.text(*found);
  EXPECT_EQ(text.event, "syscalls:sys_exit_read");
  EXPECT_EQ(text.time, 120U);
  EXPECT_THAT(text.fields, Contains(Pair("ret", "4096")));
  EXPECT_FALSE(queries.find(*found, true, {}, EventQuery("ret=4096"))) << "it is the last";
  const auto back = queries.find(*found, false, {}, EventQuery("next_comm=six"));
  ASSERT_TRUE(back);
  EXPECT_EQ(queries.time(*back), 50U);
}

TEST(TimelineQueries, ListsEventsOfALane) {
  const Timeline timeline = timeline_of(BusyRecording());
  TimelineQueries queries(timeline);
  const TimelineQueries::Shown shown{.lane = &queries.lanes()[2], .event = "irq"};
  const auto first = queries.first_at(0, shown);
  ASSERT_TRUE(first);
  EXPECT_EQ(queries.text(*first).event, "irq:irq_handler_entry");
  const auto second = queries.next(*first, true, shown);
  ASSERT_TRUE(second);
  EXPECT_EQ(queries.text(*second).event, "irq:irq_handler_exit");
  EXPECT_FALSE(queries.next(*second, true, shown));
}

}  // namespace
}  // namespace peregrine
