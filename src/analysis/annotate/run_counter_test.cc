#include "analysis/annotate/run_counter.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "abi/record.h"
#include "abi/sample.h"
#include "analysis/annotate/hit_collector.h"
#include "analysis/annotate/symbol_hits.h"
#include "analysis/annotate/type_hits.h"
#include "analysis/data_type/data_type_table.h"
#include "machine/dso/dso.h"
#include "support/resolved_program.h"

namespace peregrine {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr u64 kOuterCode = support::ResolvedProgram::kMapped, kInnerCode = support::ResolvedProgram::kInner;

// "begin-end count/predicted timed/cycles least-most" for a run.
std::string run_text(const CodeRun& run) {
  return fmt::format("{:x}-{:x} {}/{} {}/{}", run.begin, run.end, run.count, run.predicted, run.timed, run.cycles) +
         (run.timed == 0 ? std::string() : fmt::format(" {}-{}", run.least, run.most));
}

struct RunCounterTest : ::testing::Test {
  // Newest first, as processors record them.
  void add(const std::vector<abi::BranchEntry>& branches) {
    abi::Sample sample;
    sample.misc = abi::misc_bit::User;
    sample.branches = branches;
    counter.add(
        {.sample = sample, .context = program.context(), .event = 0, .period = 1, .moment = 2, .file_offset = 0},
        program.resolver);
  }
  std::vector<std::string> runs() const {
    std::vector<std::string> texts;
    for (const auto& [ends, found] : counter.found()) texts.push_back(run_text(found.run));
    std::ranges::sort(texts);
    return texts;
  }
  support::ResolvedProgram program;
  RunCounter counter;
};

TEST_F(RunCounterTest, CodeRunsFromABranchsTargetToTheNextBranch) {
  add({{.from = kInnerCode + 0x20, .to = kOuterCode, .cycles = 7, .predicted = true},
       {.from = kOuterCode + 8, .to = kInnerCode + 0x10}});
  EXPECT_THAT(runs(), ElementsAre("10-20 1/1 1/7 7-7"));
}

TEST_F(RunCounterTest, EqualRunsAreCountedAndTimed) {
  for (const u16 cycles : {9, 0, 3})
    add({{.from = kInnerCode + 0x20, .to = kOuterCode, .cycles = cycles, .mispredicted = true},
         {.from = kOuterCode + 8, .to = kInnerCode + 0x10}});
  EXPECT_THAT(runs(), ElementsAre("10-20 3/0 2/12 3-9")) << "zero cycles means unknown";
}

TEST_F(RunCounterTest, IgnoresImpossibleRuns) {
  add({{.from = kInnerCode + 0x20, .to = 0}, {.from = 0, .to = kOuterCode}});           // a jump between two functions
  add({{.from = kInnerCode, .to = 0}, {.from = 0, .to = kInnerCode + 0x10}});           // a jump backwards
  add({{.from = kOuterCode + 0x910, .to = 0}, {.from = 0, .to = kOuterCode + 0x900}});  // outside all functions
  add({{.from = 0x20, .to = 0}, {.from = 0, .to = 0x10}});                              // not in any map
  add({{.from = kInnerCode, .to = kInnerCode}});                                        // a single branch has no run
  add({});
  EXPECT_THAT(runs(), IsEmpty());
}

TEST_F(RunCounterTest, ARunMayBeOneInstruction) {
  add({{.from = kInnerCode, .to = kOuterCode}, {.from = kOuterCode + 8, .to = kInnerCode}});
  EXPECT_THAT(runs(), ElementsAre("0-0 1/0 0/0"));
}

TEST(CodeRuns, EqualOnesAreJoinedAndSorted) {
  std::vector<CodeRun> runs = {
      {.begin = 8, .end = 9, .count = 1},
      {.begin = 2, .end = 9, .count = 2, .timed = 1, .cycles = 5, .least = 5, .most = 5},
      {.begin = 2, .end = 4, .count = 4},
      {.begin = 2, .end = 9, .count = 8, .predicted = 3, .timed = 1, .cycles = 7, .least = 7, .most = 7}};
  join_equal_runs(runs);
  std::vector<std::string> texts;
  for (const CodeRun& run : runs) texts.push_back(run_text(run));
  EXPECT_THAT(texts, ElementsAre("2-4 4/0 0/0", "2-9 10/3 2/12 5-7", "8-9 1/0 0/0"));
  std::vector<CodeRun> none;
  join_equal_runs(none);
  EXPECT_THAT(none, IsEmpty());
}

TEST(ChosenDsos, AreNamedByTheirFileOrItsLastPart) {
  support::ResolvedProgram program;
  const DsoTable& dsos = program.machine.dsos();
  const Frame inner = program.resolver.at(program.resolver.frame(program.context(), kInnerCode, abi::misc_bit::User));
  EXPECT_TRUE(is_chosen(inner, dsos, {}));
  EXPECT_TRUE(is_chosen(inner, dsos, {"shell"}));
  EXPECT_TRUE(is_chosen(inner, dsos, {"other", program.file()}));
  EXPECT_FALSE(is_chosen(inner, dsos, {"she"}));
  EXPECT_FALSE(is_chosen({}, dsos, {"shell"})) << "in no map";
}

TEST_F(RunCounterTest, AHitCollectorCountsRunsOnRequest) {
  HitCollector hits(HitRequest{.runs = true});
  hits.begin(1);
  const std::vector<abi::BranchEntry> branches = {{.from = kInnerCode + 0x20, .to = kOuterCode, .cycles = 7},
                                                  {.from = kOuterCode + 8, .to = kInnerCode + 0x10}};
  abi::Sample sample;
  sample.misc = abi::misc_bit::User;
  sample.ip = kInnerCode;
  sample.branches = branches;
  hits.sample({.sample = sample, .context = program.context(), .event = 0, .period = 1, .moment = 2, .file_offset = 0},
              program.resolver, 0);
  const RecordedHits found = hits.hits(1);
  ASSERT_EQ(found.symbols.size(), 1u);
  ASSERT_EQ(found.symbols[0].runs.size(), 1u);
  EXPECT_EQ(run_text(found.symbols[0].runs[0]), "10-20 1/0 1/7 7-7");
}

TEST_F(RunCounterTest, AHitCollectorKeepsTimesAndOneFunctionOnRequest) {
  HitCollector hits(HitRequest{.symbol = "inner", .step = 100});
  hits.begin(2);
  unsigned worker = 0;
  for (const auto& [ip, time] :
       {std::pair{kInnerCode + 4, 250}, {kInnerCode + 4, 299}, {kInnerCode + 4, 300}, {kOuterCode, 250}}) {
    abi::Sample sample;
    sample.misc = abi::misc_bit::User;
    sample.ip = ip;
    sample.time = static_cast<u64>(time);
    hits.sample(
        {.sample = sample, .context = program.context(), .event = 0, .period = 10, .moment = 2, .file_offset = 0},
        program.resolver, worker++ % 2);
  }
  const RecordedHits found = hits.hits(1);
  ASSERT_EQ(found.symbols.size(), 1u) << "only the requested function";
  EXPECT_EQ(found.symbols[0].events[0].total, (Hits{3, 30}));
  const u32 first[] = {0};
  std::map<u64, Hits> by_step;
  const TimedHits timed = hits.by_time(found, first);
  for (const TimedHits::Step& step : timed.steps) {
    EXPECT_EQ(timed.places.at(step.place).offset, 4u);
    by_step[step.step] += step.hits;
  }
  EXPECT_THAT(by_step, ElementsAre(std::pair{u64{2}, Hits{2, 20}}, std::pair{u64{3}, Hits{1, 10}}));
}

// A program without a file has no types; its samples are counted too.
TEST_F(RunCounterTest, TypesOfDataAreCountedByReason) {
  DataTypeTable table(program.machine.dsos());
  TypeHitCollector collector(table, {"shell"}, true);
  collector.begin(1);
  for (const u64 ip : {kInnerCode, kInnerCode, u64{0x10}}) {
    abi::Sample sample;
    sample.misc = abi::misc_bit::User;
    sample.ip = ip;
    collector.sample(
        {.sample = sample, .context = program.context(), .event = 1, .period = 5, .moment = 2, .file_offset = 0},
        program.resolver, 0);
  }
  const RecordedTypeHits hits = collector.hits(1);
  EXPECT_EQ(hits.samples(), 2u) << "what is in no map is not of the chosen program";
  ASSERT_EQ(hits.totals.size(), 2u) << "room for the event that has samples";
  EXPECT_EQ(hits.totals[1], (Hits{2, 10}));
  ASSERT_EQ(hits.types.size(), 1u);
  EXPECT_EQ(hits.types[0].name, "(unknown)");
  const u32 events[] = {1};
  EXPECT_THAT(hits.hottest(events), ElementsAre(0u));
  u64 known = 0, unknown = 0, reasons = 0;
  for (const auto& [mnemonic, one] : hits.instructions) {
    known += one.known;
    unknown += one.unknown;
  }
  for (const u64 count : hits.unknown) reasons += count;
  EXPECT_EQ(known, 0u);
  EXPECT_EQ(unknown, 2u);
  EXPECT_EQ(reasons, 2u);
}

}  // namespace
}  // namespace peregrine
