#include <gtest/gtest.h>

#include <cstddef>
#include <initializer_list>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "analysis/annotate/code_flow.h"
#include "analysis/annotate/code_run.h"
#include "analysis/annotate/hit_collector.h"
#include "analysis/annotate/hot_functions.h"
#include "analysis/annotate/line_times.h"
#include "analysis/annotate/listing.h"
#include "analysis/annotate/symbol_code.h"
#include "analysis/annotate/symbol_hits.h"
#include "base/types.h"
#include "insn/disassembler.h"
#include "insn/instruction.h"
#include "machine/process/moment.h"
#include "symbol/table/symbol_table.h"

namespace peregrine {
namespace {

EventHits hits_of(std::vector<OffsetHits> offsets) {
  EventHits hits{.offsets = std::move(offsets)};
  for (const OffsetHits& at : hits.offsets) hits.total += at.hits;
  return hits;
}

TEST(EventHits, AddsUpWhatFellIntoALine) {
  const EventHits hits = hits_of({{0, {1, 10}}, {3, {2, 20}}, {4, {4, 40}}, {9, {8, 80}}});
  EXPECT_EQ(hits.between(3, 9), (Hits{6, 60}));
  EXPECT_EQ(hits.between(5, 9), (Hits{0, 0}));
  EXPECT_EQ(hits.between(9, ~u64{0}), (Hits{8, 80}));
}

TEST(Percent, IsOfTheSymbolOrOfTheRecordingByPeriodOrSamples) {
  const Hits part{1, 300}, symbol{4, 400}, recording{8, 1200};
  EXPECT_DOUBLE_EQ(percent(part, symbol, recording, {PercentBase::Symbol, PercentOf::Period}), 75);
  EXPECT_DOUBLE_EQ(percent(part, symbol, recording, {PercentBase::Symbol, PercentOf::Samples}), 25);
  EXPECT_DOUBLE_EQ(percent(part, symbol, recording, {PercentBase::Recording, PercentOf::Period}), 25);
  EXPECT_DOUBLE_EQ(percent(part, symbol, recording, {PercentBase::Recording, PercentOf::Samples}), 12.5);
  EXPECT_DOUBLE_EQ(percent(part, {}, {}, {}), 0);
}

TEST(RecordedHits, PutsTheHottestSymbolFirstAndLeavesOutWhatTheEventsDidNotHit) {
  RecordedHits hits;
  const auto symbol = [&](u32 index, u64 first, u64 second) {
    const auto event = [](u64 period) { return period == 0 ? EventHits() : hits_of({{0, {1, period}}}); };
    hits.symbols.push_back({DsoId(1), SymbolIndex(index), {event(first), event(second)}});
  };
  symbol(7, 10, 0);
  symbol(5, 20, 0);
  symbol(6, 0, 99);
  symbol(3, 10, 5);
  const u32 first[] = {0}, second[] = {1}, both[] = {0, 1};
  EXPECT_EQ(hits.hottest(first), (std::vector<u32>{1, 3, 0}));  // equally hot symbols are ordered by address
  EXPECT_EQ(hits.hottest(second), (std::vector<u32>{2, 3}));
  EXPECT_EQ(hits.hottest(both), (std::vector<u32>{1, 3, 0, 2}));
}

// Two bytes are a jump to where the second byte says; anything else is one byte that does nothing.
class ToyDisassembler : public Disassembler {
 public:
  bool decode(std::span<const std::byte> bytes, u64 address, Instruction& instruction) override {
    if (bytes.empty()) return false;
    instruction = {};
    instruction.address = address;
    instruction.size = 1;
    instruction.mnemonic = "nop";
    if (bytes[0] == std::byte{1} && bytes.size() > 1) {
      instruction.size = 2;
      instruction.mnemonic = "jmp";
      instruction.flow = Flow::Jump;
      instruction.target = std::to_integer<u64>(bytes[1]);
    }
    return true;
  }
};

class ToyNames : public CodeNames {
 public:
  std::string name(u64 address) override { return address < 0x20 ? "work" : "other"; }
};

TEST(Listing, NamesTargetsAndDecodesEachSectionApart) {
  SymbolCode code{
      .bytes = {std::byte{0}, std::byte{1}, std::byte{0x12}, std::byte{1}, std::byte{0}, std::byte{1}, std::byte{0x40}},
      .address = 0x10,
      .sections = {{".init", 0, 4}, {".text", 5, 7}}};
  ToyDisassembler disassembler;
  ToyNames names;
  const Listing listing = make_listing("work", std::move(code), disassembler, names);
  ASSERT_EQ(listing.lines.size(), 4u);
  EXPECT_EQ(listing.lines[1].target, "work");
  EXPECT_TRUE(listing.lines[1].inside);
  EXPECT_EQ(listing.lines[2].offset, 3u);
  EXPECT_EQ(listing.lines[2].code.size, 1u);  // the section ends in the middle of this two-byte jump
  EXPECT_EQ(listing.lines[3].offset, 5u);
  EXPECT_EQ(listing.lines[3].target, "other");
  EXPECT_FALSE(listing.lines[3].inside);
}

TEST(HotLines, KeepsTheNeighboursOfWhatWasHit) {
  Listing listing;
  for (u64 at = 0; at < 100; ++at) {
    ListingLine line{.offset = at};
    line.code.address = 0x1000 + at;
    line.code.size = 1;
    line.code.mnemonic = "nop";
    listing.lines.push_back(std::move(line));
  }
  listing.lines[50].code = {
      .address = 0x1032, .size = 1, .flow = Flow::Jump, .target = 0x1031, .mnemonic = "jmp", .operands = "0x1031"};
  listing.lines[50].target = "work+0x31";
  listing.lines[50].inside = true;
  const SymbolHits hits{.events = {hits_of({{50, {3, 30}}}), hits_of({{99, {1, 1}}})}};
  HotRequest request{.events = {0}, .neighbours = 2, .long_lines = 10};
  const std::vector<HotLine> lines = hot_lines(listing, hits, request);
  ASSERT_EQ(lines.size(), 5u);
  EXPECT_EQ(lines[0].left_out, 48u);
  EXPECT_EQ(lines[2].text, "jmp    work+0x31");
  EXPECT_EQ(lines[2].leads_to, 1);
  EXPECT_EQ(lines[2].hits[0], (Hits{3, 30}));
  request.events = {0, 1};
  EXPECT_EQ(hot_lines(listing, hits, request).size(), 8u);
  request.long_lines = 100;
  EXPECT_EQ(hot_lines(listing, hits, request).size(), 100u);
}

Listing listing_of(std::initializer_list<u64> offsets) {
  Listing listing;
  for (const u64 offset : offsets) listing.lines.push_back({.offset = offset});
  return listing;
}

TEST(CodeFlow, SaysWhatPassedEachInstruction) {
  std::vector<CodeRun> runs{
      {.begin = 2, .end = 6, .count = 1, .timed = 1, .cycles = 9, .least = 9, .most = 9},
      {.begin = 0, .end = 3, .count = 4},
      {.begin = 2, .end = 6, .count = 2, .predicted = 1, .timed = 1, .cycles = 3, .least = 3, .most = 3},
      {.begin = 1, .end = 6, .count = 7}};  // unrelated code: no instruction begins at 1
  join_equal_runs(runs);
  ASSERT_EQ(runs.size(), 3u);
  const CodeFlow flow = code_flow(listing_of({0, 2, 3, 6, 8}), runs);
  ASSERT_EQ(flow.lines.size(), 5u);
  EXPECT_EQ(flow.lines[0].runs, 4u);
  EXPECT_EQ(flow.lines[1].runs, 7u);
  EXPECT_EQ(flow.lines[1].entered, 3u);
  EXPECT_EQ(flow.lines[2].left, 4u);
  EXPECT_EQ(flow.lines[3].left, 3u);
  EXPECT_EQ(flow.lines[3].predicted, 1u);
  EXPECT_EQ(flow.lines[3].least, 3u);
  EXPECT_EQ(flow.lines[3].most, 9u);
  EXPECT_DOUBLE_EQ(flow.lines[3].speed(), 0.5) << "three instructions, twice, in twelve cycles";
  EXPECT_DOUBLE_EQ(flow.lines[0].speed(), 0) << "no cycles were recorded there";
  EXPECT_DOUBLE_EQ(flow.speed(), 0.5);
  EXPECT_DOUBLE_EQ(flow.covered(), 0.6);
  EXPECT_EQ(flow.lines[0].next_runs, 7u);
  EXPECT_EQ(flow.lines[3].next_runs, 3u);
  EXPECT_FALSE(code_flow(listing_of({0}), {}).timed());
}

using CostRow = std::tuple<u32, u32, u32, u64, u64>;
std::vector<CostRow> rows_of(const LineTimes& times) {
  std::vector<CostRow> rows;
  for (const LineWeight& at : times.weights) rows.emplace_back(at.series, at.line, at.slot, at.samples, at.period);
  return rows;
}

TEST(LineTimes, AddsUpByEventLineAndSlot) {
  const HotFunction functions[] = {{.symbol = 4, .lines = {{.begin = 0, .end = 3}, {.begin = 8, .end = 9}}},
                                   {.symbol = 2, .missing = "no file"},
                                   {.symbol = 7, .lines = {{.begin = 0, .end = 4}}}};
  const TimedHits hits{.places = {{7, 3}, {4, 2}, {4, 1}, {4, 8}, {4, 0}, {4, 5}, {2, 0}},
                       .steps = {{.place = 0, .event = 5, .step = 12, .hits = {1, 10}},
                                 {.place = 1, .event = 5, .step = 17, .hits = {1, 20}},
                                 {.place = 2, .event = 5, .step = 10, .hits = {2, 30}},
                                 {.place = 3, .event = 1, .step = 11, .hits = {1, 40}},
                                 {.place = 4, .event = 5, .step = 17, .hits = {1, 50}},
                                 {.place = 3, .event = 5, .step = 0, .hits = {1, 1}},   // without a time
                                 {.place = 5, .event = 5, .step = 13, .hits = {1, 2}},  // between two lines
                                 {.place = 4, .event = 0, .step = 13, .hits = {1, 3}},  // in no series
                                 {.place = 6, .event = 5, .step = 13, .hits = {1, 4}}}};
  LineTimesRequest request{.events = {5, 1}, .step = 100};
  LineTimes times = line_times(functions, hits, request);
  EXPECT_EQ(times.start, 1000u);
  EXPECT_EQ(times.slot_length, 100u);
  EXPECT_EQ(times.slots, 8u);
  EXPECT_EQ(
      rows_of(times),
      (std::vector<CostRow>{{0, 0, 0, 2, 30}, {0, 0, 7, 2, 70}, {0, 1, 0, 1, 1}, {0, 2, 2, 1, 10}, {1, 1, 1, 1, 40}}));
  request.slots = 3;
  times = line_times(functions, hits, request);
  EXPECT_EQ(times.slot_length, 300u);
  EXPECT_EQ(times.slots, 3u);
  request.slots = 8;
  request.weights = 4;
  times = line_times(functions, hits, request);
  EXPECT_EQ(times.slots, 2u) << "joined until there are few enough, but two";
  EXPECT_EQ(rows_of(times)[0], (CostRow{0, 0, 0, 2, 30}));
  EXPECT_TRUE(line_times(functions, {}, request).weights.empty());
}

// Damaged recordings can have times from 1 ns up to the largest number.
TEST(LineTimes, CoversTimesThatAreAsFarApartAsPossible) {
  const HotFunction functions[] = {{.symbol = 4, .lines = {{.begin = 0, .end = 3}}}};
  const TimedHits hits{.places = {{4, 0}},
                       .steps = {{.place = 0, .event = 0, .step = 1, .hits = {1, 10}},
                                 {.place = 0, .event = 0, .step = ~u64{0}, .hits = {1, 20}}}};
  const LineTimes times = line_times(functions, hits, {.events = {0}, .step = 1});
  EXPECT_LE(times.slots, 2000u);
  EXPECT_EQ(rows_of(times), (std::vector<CostRow>{{0, 0, 0, 1, 10}, {0, 0, times.slots - 1, 1, 20}}));
}

}  // namespace
}  // namespace peregrine
