#include "session/profile_session.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "analysis/hist/entry/group_table.h"
#include "analysis/hist/key/columns.h"
#include "analysis/hist/key/face_keys.h"
#include "analysis/hist/key/face_table.h"
#include "analysis/hist/row/row_table.h"
#include "base/types.h"
#include "pipeline/replay/replay.h"
#include "support/built_recording.h"
#include "support/perf_data_builder.h"

namespace peregrine {
namespace {

using support::open_built;
using support::PerfDataBuilder;
using ::testing::ElementsAre;

// Two programs: "busy" with two samples in /bin/busy, "idle" with one in /lib/libc.so.
PerfDataBuilder two_programs() {
  PerfDataBuilder data;
  data.attr({{"type", 1}, {"sample", "ip,tid,time,period"}, {"flags", "mmap,comm,task,sample_id_all,mmap2"}});
  data.record("comm", {{"pid", 7}, {"tid", 7}, {"comm", "busy"}, {"time", 1}});
  data.record("comm", {{"pid", 8}, {"tid", 8}, {"comm", "idle"}, {"time", 1}});
  data.record(
      "mmap2",
      {{"pid", 7}, {"tid", 7}, {"addr", 0x1000}, {"len", 0x1000}, {"prot", 5}, {"file", "/bin/busy"}, {"time", 2}});
  data.record(
      "mmap2",
      {{"pid", 8}, {"tid", 8}, {"addr", 0x8000}, {"len", 0x1000}, {"prot", 5}, {"file", "/lib/libc.so"}, {"time", 2}});
  for (const u64 ip : {0x1010, 0x1020})
    data.record("sample", {{"ip", ip}, {"pid", 7}, {"tid", 7}, {"time", 3}, {"period", 10}, {"misc", 2}});
  data.record("sample", {{"ip", 0x8010}, {"pid", 8}, {"tid", 8}, {"time", 4}, {"period", 5}, {"misc", 2}});
  return data;
}

SymbolPlaces nowhere() {
  SymbolPlaces places;
  places.load = false;
  return places;
}

// Rows as "comm dso period", largest first.
std::vector<std::string> rows_of(const PerfDataBuilder& data, HistFilter filter = {}) {
  ColumnRequest wanted;
  wanted.sort = "comm,dso";
  const Columns columns = *parse_columns(wanted);
  data::Reader reader = open_built(data);
  ProfileSession session(reader);
  session.open(nowhere(), false);
  EXPECT_TRUE(session.collect({.keys = columns.keys, .filter = std::move(filter)}));
  Replay replay(reader, session.machine(), {});
  EXPECT_TRUE(replay.run(session.collector()));
  const Hists hists = session.finish();
  MachineNaming naming = session.naming();
  const FaceTable faces(hists.frames(), naming, face_keys(session.keys()));
  const RowTable table(hists, faces, naming, {.columns = columns});
  std::vector<std::string> rows;
  for (const Row& row : table.rows())
    rows.push_back(fmt::format("{} {} {}", table.group_text(row, SortKey::Comm), faces.text(table.frame_look(row).dso),
                               table.sums(row).period));
  return rows;
}

TEST(ProfileSession, SumsSamplesByTheKeysThatWereAskedFor) {
  EXPECT_THAT(rows_of(two_programs()), ElementsAre("busy busy 20", "idle libc.so 5"));
}

TEST(ProfileSession, KeepsWhatTheFilterOfTheRequestLets) {
  EXPECT_THAT(rows_of(two_programs(), {.comms = {"idle"}}), ElementsAre("idle libc.so 5"));
}

TEST(ProfileSession, TellsAnInvalidExpressionBeforeTheFirstRecord) {
  data::Reader reader = open_built(two_programs());
  ProfileSession session(reader);
  session.open(nowhere(), false);
  EXPECT_FALSE(session.collect({.keys = {SortKey::Parent}, .parent = "("}));
}

TEST(ProfileSession, HasTextsOfTracepointsOnlyIfARowShowsThem) {
  data::Reader reader = open_built(two_programs());
  ProfileSession session(reader);
  session.open(nowhere(), false);
  ASSERT_TRUE(session.collect({.keys = {SortKey::Comm, SortKey::Trace}}));
  EXPECT_THAT(session.keys(), ElementsAre(SortKey::Comm, SortKey::Trace));
  EXPECT_TRUE(Replay(reader, session.machine(), {}).run(session.collector()));
  const Hists hists = session.finish();
  EXPECT_EQ(session.naming().text(SortKey::Trace, hists.groups()[GroupId(0)][2]), "N/A");
}

}  // namespace
}  // namespace peregrine
