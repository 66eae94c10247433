#include "analysis/annotate/hit_collector.h"

#include <gtest/gtest.h>

#include "abi/record.h"
#include "abi/sample.h"
#include "support/resolved_program.h"
#include "symbol/table/symbol_table.h"

namespace peregrine {
namespace {

using support::ResolvedProgram;

struct HitCollectorTest : ::testing::Test {
  HitCollectorTest() { hits.begin(1); }

  void hit(u64 ip, u64 period = 1) {
    abi::Sample sample;
    sample.ip = ip;
    sample.misc = abi::misc_bit::User;
    hits.sample(
        {.sample = sample, .context = program.context(), .event = 0, .period = period, .moment = 2, .file_offset = 0},
        program.resolver, 0);
  }

  ResolvedProgram program;
  HitCollector hits{HitRequest{}};
};

TEST_F(HitCollectorTest, CountsEachPlaceOfEachSymbol) {
  hit(ResolvedProgram::kMapped + 4, 10);
  hit(ResolvedProgram::kMapped + 4, 20);
  hit(ResolvedProgram::kInner, 5);
  const RecordedHits found = hits.hits(1);
  ASSERT_EQ(found.symbols.size(), 2u);
  ASSERT_EQ(found.symbols[0].events[0].offsets.size(), 1u);
  EXPECT_EQ(found.symbols[0].events[0].offsets[0].offset, 4u);
  EXPECT_EQ(found.symbols[0].events[0].total, (Hits{2, 30}));
  EXPECT_EQ(found.symbols[1].events[0].total, (Hits{1, 5}));
  EXPECT_EQ(found.totals[0], (Hits{3, 35}));
}

TEST_F(HitCollectorTest, NamesTheSampledSymbolThatAMistypedOneMeans) {
  HitCollector mistyped{HitRequest{.symbol = "inner2"}};
  mistyped.begin(1);
  abi::Sample sample;
  sample.misc = abi::misc_bit::User;
  for (const u64 ip : {ResolvedProgram::kMapped + 4, ResolvedProgram::kInner}) {
    sample.ip = ip;
    mistyped.sample(
        {.sample = sample, .context = program.context(), .event = 0, .period = 1, .moment = 2, .file_offset = 0},
        program.resolver, 0);
  }
  EXPECT_TRUE(mistyped.hits(1).empty());
  EXPECT_EQ(mistyped.nearest_symbol(), "inner");
  EXPECT_EQ(hits.nearest_symbol(), std::nullopt);
}

TEST_F(HitCollectorTest, KeepsWantedHitsWhenFramesAreForgotten) {
  hit(ResolvedProgram::kMapped + 4, 10);
  hit(ResolvedProgram::kInner, 5);
  const SymbolIndex outer = hits.hits(1).symbols.at(0).symbol;
  hits.forget_frames([](DsoId) { return true; });
  program.resolver.forget();
  hit(ResolvedProgram::kInner, 7);  // now the first frame, as `outer` was before
  hit(ResolvedProgram::kMapped + 4, 1);
  const RecordedHits found = hits.hits(1);
  ASSERT_EQ(found.symbols.size(), 2u);
  EXPECT_EQ(found.symbols[0].symbol, outer);
  ASSERT_EQ(found.symbols[0].events[0].offsets.size(), 1u);
  EXPECT_EQ(found.symbols[0].events[0].offsets[0].hits, (Hits{2, 11})) << "old and new hits of one place are added";
  EXPECT_EQ(found.symbols[1].events[0].total, (Hits{2, 12}));
  EXPECT_EQ(found.totals[0], (Hits{4, 23}));
}

TEST_F(HitCollectorTest, DropsUnwantedDsosButNotTheirTotals) {
  hit(ResolvedProgram::kMapped, 10);
  hits.forget_frames([](DsoId) { return false; });
  EXPECT_TRUE(hits.hits(1).symbols.empty());
  EXPECT_EQ(hits.hits(1).totals[0], (Hits{1, 10})) << "of all samples ever";
}

TEST_F(HitCollectorTest, HasRoomForEventsThatCameLater) {
  hit(ResolvedProgram::kMapped);
  hits.forget_frames([](DsoId) { return true; });
  const RecordedHits found = hits.hits(3);
  ASSERT_EQ(found.symbols.size(), 1u);
  EXPECT_EQ(found.symbols[0].events.size(), 3u);
  EXPECT_EQ(found.totals.size(), 3u);
}

}  // namespace
}  // namespace peregrine
