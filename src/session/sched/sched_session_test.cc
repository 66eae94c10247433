#include "session/sched/sched_session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <utility>

#include "data/reader/reader.h"
#include "machine/dso/dso.h"
#include "machine/machine.h"
#include "session/recording/opened_recording.h"
#include "session/sched/schedstat_session.h"
#include "session/sched/task_replay_session.h"
#include "support/built_recording.h"
#include "support/kept_messages.h"
#include "support/perf_data_builder.h"

namespace peregrine {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

data::Reader reader_without_switches() {
  support::PerfDataBuilder data;
  data.attr({{"sample", "ip,tid,time"}, {"flags", "comm,sample_id_all"}});
  data.record("sample", {{"ip", 0x401000}, {"pid", 7}, {"tid", 7}, {"time", 2000}});
  return support::open_built(data);
}

TracedRecording recording_without_switches() {
  SymbolPlaces places;
  places.load = false;
  TracedRecording recording;
  recording.reader = std::make_unique<OpenedRecording>(reader_without_switches());
  recording.machine = std::make_unique<Machine>(std::move(places));
  return recording;
}

TEST(LatencyKeys, AreSeparatedByCommasOrBlanks) {
  using enum SchedLatencyKey;
  EXPECT_THAT(*parse_latency_keys("max,pid switch"), ElementsAre(Most, Pid, Switches));
  const auto unknown = parse_latency_keys("max,name");
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().message, "Unknown --sort key: `name'");
}

TEST(SchedSession, NamesTheCommandThatRecordsSwitches) {
  testing::KeptMessages messages;
  Sink out;
  TracedRecording first = recording_without_switches(), second = recording_without_switches(),
                  third = recording_without_switches(), fourth = recording_without_switches();
  for (const Result<>& shown : {show_delays(first, {.order = {SchedLatencyKey::Most}}, out, messages),
                                show_switch_map(second, {}, out, messages), show_time_history(third, {}, out, messages),
                                replay_tasks(fourth, {.rounds = 1}, out, messages)}) {
    ASSERT_FALSE(shown);
    EXPECT_THAT(shown.error().hint, HasSubstr("`perf sched record`"));
  }
}

TEST(SchedSession, SaysThatThereAreNoChainsToShow) {
  testing::KeptMessages messages;
  Sink out;
  TracedRecording recording = recording_without_switches();
  EXPECT_FALSE(show_time_history(recording, {.look = {.chain_depth = 5}}, out, messages));
  EXPECT_THAT(messages.take(), HasSubstr("Samples do not have callchains.\n"));
}

TEST(SchedstatSession, RefusesARecordingWithoutStatistics) {
  testing::KeptMessages messages;
  data::Reader reader = reader_without_switches();
  const auto change = recorded_schedstats(reader, "perf.data", messages);
  ASSERT_FALSE(change);
  EXPECT_EQ(change.error().message, "perf.data has no scheduler statistics for a time span");
  EXPECT_EQ(change.error().hint, "record with `perf sched stats record`");
}

}  // namespace
}  // namespace peregrine
