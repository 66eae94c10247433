// The values of AUXTRACE_INFO, and the clock that they describe.
#include "pipeline/decode/intel_pt/intel_pt_facts.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <utility>
#include <vector>

namespace peregrine {
namespace {

RecordedTraces intel_pt_with(std::vector<u64> words) {
  RecordedTraces traces;
  traces.type = TraceType::IntelPt;
  traces.facts = std::move(words);
  return traces;
}

// Type 8, 2 GHz: ns = ticks / 2; MTC period in bits 14 to 17; a 25 MHz crystal.
std::vector<u64> words() {
  return {8, 31, u64{1} << 30, 1000, 1, 0x400, 0x800, 2, 0, 1, 0x200, 0x3c000, 160, 2, 2, 20};
}

TEST(IntelPtFacts, StandInThisOrder) {
  const auto facts = IntelPtFacts::of(intel_pt_with(words()));
  ASSERT_TRUE(facts);
  EXPECT_EQ(facts->pmu_type, 8u);
  EXPECT_EQ(facts->time_zero, 1000u);
  EXPECT_TRUE(facts->has_time_zero);
  EXPECT_EQ(facts->tsc_bit, 0x400u);
  EXPECT_FALSE(facts->snapshots);
  EXPECT_TRUE(facts->per_cpu);
  EXPECT_EQ(facts->base_ratio, 20u);
}

TEST(IntelPtFacts, OldRecordingsHaveFewer) {
  auto old = words();
  old.resize(10);
  const auto facts = IntelPtFacts::of(intel_pt_with(old));
  ASSERT_TRUE(facts);
  EXPECT_EQ(facts->tsc_per_ctc_denominator, 0u);
  EXPECT_EQ(facts->flow(~u64{0}).clock.mtc_shift, 0u);
  old.pop_back();
  EXPECT_FALSE(IntelPtFacts::of(intel_pt_with(old)));
}

TEST(IntelPtFacts, TicksAreTimesAndBack) {
  const auto facts = IntelPtFacts::of(intel_pt_with(words()));
  ASSERT_TRUE(facts);
  EXPECT_EQ(facts->time_of(4'000'000'000), 2'000'001'000u);
  EXPECT_EQ(facts->ticks_of(2'000'001'000), 4'000'000'000u);
  EXPECT_EQ(facts->duration_in_ticks(1000), 2000u);
  for (u64 time = 1000; time < u64{1} << 62; time = time * 3 + 1)
    EXPECT_EQ(facts->time_of(facts->ticks_of(time)), time);
}

TEST(IntelPtFacts, TheEventsConfigSaysHow) {
  const auto facts = IntelPtFacts::of(intel_pt_with(words()));
  ASSERT_TRUE(facts);
  EXPECT_EQ(facts->flow(3u << 14).clock.mtc_shift, 3u);
  EXPECT_TRUE(facts->flow(0).compressed_returns);
  EXPECT_FALSE(facts->flow(0x800).compressed_returns);
}

TEST(IntelPtFacts, AbsurdWordsAreOnlyWrong) {
  for (const u64 word : {u64{0}, u64{1}, u64{63}, u64{64}, u64{1} << 63, ~u64{0}}) {
    for (std::size_t at = 0; at < words().size(); ++at) {
      auto absurd = words();
      absurd[at] = word;
      for (const auto& one : {absurd, std::vector<u64>(16, word)}) {
        const auto facts = IntelPtFacts::of(intel_pt_with(one));
        ASSERT_TRUE(facts);
        for (const u64 value : {u64{0}, u64{1}, u64{1} << 40, ~u64{0}}) {
          facts->time_of(value);
          facts->ticks_of(value);
          facts->duration_in_ticks(value);
          EXPECT_LT(facts->flow(value).clock.mtc_shift, 16u);
        }
      }
    }
  }
}

}  // namespace
}  // namespace peregrine
