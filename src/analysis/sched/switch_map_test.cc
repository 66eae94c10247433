#include "analysis/sched/switch_map.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

#include "support/tracepoint_recording.h"

namespace peregrine {
namespace {

using support::ReplayedRecording;
using support::TracepointRecording;
using ::testing::ElementsAre;

class MapRecording : public TracepointRecording {
 public:
  MapRecording() {
    event("sched:sched_switch", {"prev_pid", "next_pid", "prev_state"});
    comm(5, "cat");
    comm(6, "catalogue");
    comm(7, "dog");
  }
  void change(u64 time, u32 cpu, u32 leaves, u32 comes) {
    hit("sched:sched_switch", {.time = time, .cpu = cpu, .pid = leaves, .tid = leaves}, {leaves, comes, 0});
  }
};

// Each row as "*A0 . A1 introduced-comm": '*' marks the change, '.' is idle, '-' another task, '_' empty.
std::vector<std::string> map_rows(const TracepointRecording& recording, SwitchMap::Request request = {},
                                  u64* hidden = nullptr) {
  std::vector<std::string> rows;
  request.show = [&](const SwitchMapRow& row) {
    std::string text;
    for (std::size_t i = 0; i < row.columns.size(); ++i) {
      const SwitchMapRow::Column& column = row.columns[i];
      if (i != 0) text += ' ';
      if (i == row.changed) text += row.left ? '!' : '*';
      using Cell = SwitchMapRow::Cell;
      text += column.cell == Cell::Task    ? std::string(column.name)
              : column.cell == Cell::Idle  ? "."
              : column.cell == Cell::Other ? "-"
                                           : "_";
    }
    if (row.introduces) text += fmt::format(" {}", row.comm);
    rows.push_back(text);
  };
  ReplayedRecording replayed(recording);
  SwitchMap map(replayed.reader(), std::move(request));
  replayed.run(map);
  if (hidden != nullptr) *hidden = map.hidden();
  return rows;
}

TEST(SwitchMap, NamesTasksInOrderOfAppearance) {
  MapRecording recording;
  recording.change(1, 0, 0, 7);
  recording.change(2, 1, 0, 5);
  recording.change(3, 0, 7, 5);
  recording.change(4, 0, 5, 7);
  EXPECT_THAT(map_rows(recording), ElementsAre("*A0 dog", "A0 *B0 cat", "*B0 B0", "*A0 B0"));
}

TEST(SwitchMap, HasAColumnForEachCpuOfTheMachine) {
  MapRecording recording;
  recording.change(1, 1, 0, 7);
  EXPECT_THAT(map_rows(recording, {.cpus = 3}), ElementsAre("_ *A0 _ dog"));
}

TEST(SwitchMap, IntroducesARenamedTaskAgainUnderItsShortName) {
  MapRecording recording;
  recording.change(1, 0, 0, 7);
  recording.comm(7, "wolf", 2);
  recording.change(3, 0, 7, 5);
  recording.change(4, 0, 5, 7);
  recording.change(5, 0, 7, 5);
  recording.change(6, 0, 5, 7);
  EXPECT_THAT(map_rows(recording), ElementsAre("*A0 dog", "*B0 cat", "*A0 wolf", "*B0", "*A0"));
}

TEST(SwitchMap, ShortNamesStartAgainAfterThe260th) {
  MapRecording recording;
  for (u32 i = 0; i <= 260; ++i) recording.change(10 + i, 0, 1000 + i, 1001 + i);
  const auto rows = map_rows(recording);
  ASSERT_EQ(rows.size(), 261u);
  EXPECT_TRUE(rows[25].starts_with("*Z0 ")) << rows[25];
  EXPECT_TRUE(rows[26].starts_with("*A1 ")) << rows[26];
  EXPECT_TRUE(rows[259].starts_with("*Z9 ")) << rows[259];
  EXPECT_TRUE(rows[260].starts_with("*A0 ")) << rows[260];
}

TEST(SwitchMap, ShowsWhenAChosenTaskIsReplacedByAnother) {
  MapRecording recording;
  recording.change(1, 0, 0, 7);  // not selected, and no task before it
  recording.change(2, 0, 7, 5);
  recording.change(3, 0, 5, 7);
  recording.change(4, 0, 7, 6);
  EXPECT_THAT(map_rows(recording, {.tasks = {"cat"}}), ElementsAre("*A0 cat", "!-"));
  EXPECT_THAT(map_rows(recording, {.tasks = {"cat"}, .fuzzy = true}), ElementsAre("*A0 cat", "!-", "*B0 catalogue"));
}

TEST(SwitchMap, ShowsOnlyTheChosenCpus) {
  MapRecording recording;
  recording.change(1, 0, 0, 7);
  recording.change(2, 2, 0, 5);
  EXPECT_THAT(map_rows(recording, {.cpus = 4, .chosen = {2}}), ElementsAre("*A0 cat"));
}

TEST(SwitchMap, CountsSwitchesOnCpusWithoutAColumn) {
  MapRecording recording;
  for (const u32 cpu : {0u, 1u, 2u, 2u}) recording.change(cpu + 1, cpu, 0, 5);
  u64 hidden = 0;
  EXPECT_THAT(map_rows(recording, {.most_columns = 2}, &hidden), ElementsAre("*A0 cat", "A0 *A0"));
  EXPECT_EQ(hidden, 2u);
}

}  // namespace
}  // namespace peregrine
