#include "session/report/event_tables.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>

#include "abi/attr.h"
#include "abi/record.h"
#include "analysis/annotate/symbol_hits.h"
#include "analysis/hist/chain/hist_frame.h"
#include "base/bytes.h"
#include "data/reader/reader.h"
#include "event/tracepoint/tracing_data.h"
#include "machine/process/moment.h"
#include "machine/resolver/resolver.h"
#include "output/sink.h"
#include "session/event_names.h"
#include "session/report/code_finder.h"
#include "session/report/report_plan.h"
#include "session/report/report_request.h"
#include "session/report/report_text.h"
#include "support/built_recording.h"
#include "support/perf_data_builder.h"
#include "support/resolved_program.h"
#include "support/tracepoint_recording.h"
#include "symbol/table/symbol_table.h"

namespace peregrine {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using EventTableList = std::vector<std::vector<u32>>;

// Events of which only the groups are set: {2, 1} is a pair followed by a single event.
data::Evlist events_in_groups(const std::vector<u32>& sizes, const std::string& group_name = "") {
  data::Evlist evlist;
  for (const u32 size : sizes) {
    const auto leader = static_cast<u32>(evlist.size());
    for (u32 i = 0; i < size; ++i) evlist.add({});
    if (size > 1) evlist.set_group(leader, size, group_name);
  }
  return evlist;
}

TEST(EventTables, AreOnePerEventOrGroup) {
  const data::Evlist evlist = events_in_groups({1, 3, 2});
  EXPECT_TRUE(has_groups(evlist));
  EXPECT_EQ(event_tables(evlist, true, false), (EventTableList{{0}, {1, 2, 3}, {4, 5}}));
  EXPECT_EQ(event_tables(evlist, false, false), (EventTableList{{0}, {1}, {2}, {3}, {4}, {5}}));
}

TEST(EventTables, JoinAllEventsOnRequestIfNoneWereGrouped) {
  const data::Evlist evlist = events_in_groups({1, 1, 1});
  EXPECT_FALSE(has_groups(evlist));
  EXPECT_EQ(event_tables(evlist, true, false), (EventTableList{{0}, {1}, {2}}));
  EXPECT_EQ(event_tables(evlist, true, true), (EventTableList{{0, 1, 2}}));
  EXPECT_EQ(event_tables(events_in_groups({2, 1}), true, true), (EventTableList{{0, 1}, {2}}))
      << "what was grouped stays as it was";
  EXPECT_THAT(event_tables(events_in_groups({}), true, true), IsEmpty());
}

TEST(EventTables, AreNamedAfterTheirEvents) {
  const std::vector<std::string> names{"cycles", "faults", "misses"};
  EXPECT_EQ(table_name(names, events_in_groups({2, 1}), {2}), "misses");
  EXPECT_EQ(table_name(names, events_in_groups({2, 1}), {0, 1}), "anon group { cycles, faults }");
  EXPECT_EQ(table_name(names, events_in_groups({2, 1}, "core"), {0, 1}), "core { cycles, faults }");
  EXPECT_EQ(table_name(names, events_in_groups({1, 1, 1}), {0, 1, 2}), "cycles, faults, misses") << "joined here";
}

TEST(EventNames, AreAsRecordedOrSpelledFromTheirAttrs) {
  data::Evlist evlist;
  evlist.add({.attr = {.type = 1, .config = 2}, .name = "my \x1b[2Jfaults"});
  evlist.add({.attr = {.type = 1, .config = 2, .flags = abi::attr_flag::ExcludeGuest}});
  const std::vector<std::string> names = event_names(evlist);
  ASSERT_EQ(names.size(), 2u);
  EXPECT_EQ(names[0].find('\x1b'), std::string::npos) << "a terminal would obey it";
  EXPECT_EQ(names[1], "page-faults");
}

TEST(EventNames, OfNamelessTracepointsComeFromTheFormats) {
  support::PerfDataBuilder data;
  support::TracepointRecording named;
  named.event("app:begin", {"size"});
  EXPECT_THAT(event_names(support::open_built(named)), ElementsAre("app:begin"));
  data.attr({{"type", 2}, {"config", 300}, {"sample", "ip,tid,raw"}});
  EXPECT_THAT(event_names(support::open_built(data)), ElementsAre(::testing::Not("app:begin"))) << "no formats";
  TracingData tracing;
  tracing.systems = {{"app", {"name: begin\nID: 300\nformat:\n\nprint fmt: \"\"\n"}}};
  std::string hex;
  for (const std::byte byte : encode_tracing_data(tracing)) hex += fmt::format("{:02x}", static_cast<u8>(byte));
  data.feature("tracing_data", {{"hex", hex}});
  EXPECT_THAT(event_names(support::open_built(data)), ElementsAre("app:begin"));
}

TEST(ReportFields, ComeFromTheFormatsOfTheRecording) {
  support::PerfDataBuilder samples;
  samples.attr({{"sample", "ip,tid,time"}});
  const data::Reader without = support::open_built(samples);
  EXPECT_EQ(recorded_fields(without, false), nullptr);
  support::TracepointRecording recording;
  recording.event("app:begin", {"size", "name[8]"});
  const data::Reader reader = support::open_built(recording);
  const auto fields = recorded_fields(reader, false);
  ASSERT_NE(fields, nullptr);
  EXPECT_EQ(fields->find("size").size(), 1u);
  EXPECT_THAT(fields->find("colour"), IsEmpty());
  ReportRequest request;
  request.grouping.sort = "app:begin.size";
  const auto plan = make_plan(request, reader, {}, fields.get());
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_EQ(plan->columns.fields.at(0).name, "size");
}

// A program with a two-instruction function (nop, ret), and samples of its frames.
class CodeFinderTest : public ::testing::Test {
 protected:
  CodeFinderTest() { finder_.listings().add_programs({}, kHostOrder); }

  HistFrame frame_at(u64 ip) {
    const FrameId id = program_.resolver.frame(program_.context(), ip, abi::misc_bit::User);
    const Frame& frame = program_.resolver.at(id);
    return {.dso = frame.dso.value, .symbol = frame.symbol.value};
  }
  SymbolHits hits_of(const HistFrame& frame, u64 offset, Hits hits) const {
    return {.dso = DsoId(frame.dso), .symbol = SymbolIndex(frame.symbol), .events = {{hits, {{offset, hits}}}}};
  }

  support::ResolvedProgram program_{"\x90\xc3"};
  CodeFinder finder_{program_.machine, {.source = false, .source_place = false}};
};

TEST_F(CodeFinderTest, FindsTheCodeAndItsSamples) {
  const HistFrame outer = frame_at(support::ResolvedProgram::kMapped);
  const HistFrame inner = frame_at(support::ResolvedProgram::kInner);
  finder_.set_hits({.symbols = {hits_of(inner, 0, {1, 5}), hits_of(outer, 1, {2, 30})}, .totals = {{3, 35}}});
  const auto code = finder_.find(outer, {0});
  ASSERT_TRUE(code) << code.error().message;
  EXPECT_EQ(code->dso, "shell");
  EXPECT_EQ(code->hits.events.at(0).total, (Hits{2, 30}));
  EXPECT_EQ(code->totals.at(0), (Hits{3, 35}));
  EXPECT_THAT(code->events, ElementsAre(0));
}

// A function may have only callees, or be hit only by an event other than the one shown.
TEST_F(CodeFinderTest, HasNoSamplesWhereNoneWere) {
  const HistFrame outer = frame_at(support::ResolvedProgram::kMapped);
  const auto code = finder_.find(outer, {0, 2});
  ASSERT_TRUE(code) << code.error().message;
  ASSERT_EQ(code->hits.events.size(), 3u);
  EXPECT_EQ(code->hits.events[2].total, Hits());
  EXPECT_EQ(code->totals.size(), 3u);
}

TEST_F(CodeFinderTest, SaysThatAnAddressHasNoFunction) {
  const HistFrame outer = frame_at(support::ResolvedProgram::kMapped);
  for (const HistFrame& frame : {HistFrame{}, HistFrame{.dso = outer.dso}}) {
    const auto code = finder_.find(frame, {0});
    ASSERT_FALSE(code);
    EXPECT_EQ(code.error().message, "no symbol covers this address, so there is no code to show");
    EXPECT_EQ(code.error().hint, "'Browse map details' lists where symbols were searched");
  }
}

TEST_F(CodeFinderTest, DescribesAMapByItsBuildIdAndTheFileThatGaveSymbols) {
  const HistFrame outer = frame_at(support::ResolvedProgram::kMapped);
  const std::string text = describe_dso(program_.machine.dsos(), DsoId(outer.dso));
  EXPECT_EQ(text.substr(0, program_.file().size() + 1), program_.file() + "\n");
  EXPECT_THAT(text, HasSubstr("\nSymbols searched in:\n"));
  EXPECT_THAT(text, HasSubstr("  " + program_.file() + "  (used)\n"));
}

TEST(ThreadCounts, AddUpByThreadAndEvent) {
  Sink out;
  print_threads({"cycles", "faults"},
                {{.pid = 7, .tid = 7, .event = 1, .value = 2},
                 {.pid = 7, .tid = 8, .event = 0, .value = 30},
                 {.pid = 7, .tid = 7, .event = 1, .value = 5},
                 {.pid = 7, .tid = 7, .event = 9, .value = 1}},
                out);
  EXPECT_EQ(out.take(),
            "# PID  TID  faults  cycles  unknown\n"
            "    7    7       7       0        1\n"
            "    7    8       0      30        0\n");
  print_threads({"cycles"}, {}, out);
  EXPECT_EQ(out.take(), "# PID  TID\n");
}

}  // namespace
}  // namespace peregrine
