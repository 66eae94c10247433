#include "pipeline/decode/intel_bts/intel_bts_facts.h"

#include <gtest/gtest.h>

namespace peregrine {
namespace {

// Type 8, 2 GHz: ns = ticks / 2.
RecordedTraces recorded(u32 cpu) {
  RecordedTraces traces;
  traces.type = TraceType::IntelBts;
  traces.facts = {8, 31, u64{1} << 30, 1000, 1, 1};
  traces.pieces.push_back({.cpu = cpu});
  return traces;
}

TEST(IntelBtsFacts, AreReadInOrder) {
  const auto facts = IntelBtsFacts::of(recorded(3));
  ASSERT_TRUE(facts);
  EXPECT_EQ(facts->pmu_type, 8u);
  EXPECT_TRUE(facts->snapshots);
  EXPECT_EQ(facts->time_of(500), 1250u);
}

TEST(IntelBtsFacts, TracesWithoutCpuAreOfThreads) {
  EXPECT_TRUE(IntelBtsFacts::of(recorded(0))->per_cpu);
  EXPECT_FALSE(IntelBtsFacts::of(recorded(~u32{0}))->per_cpu);
}

TEST(IntelBtsFacts, RejectsShortInfo) {
  RecordedTraces traces = recorded(0);
  traces.facts.pop_back();
  EXPECT_FALSE(IntelBtsFacts::of(traces));
}

TEST(IntelBtsFacts, AcceptsAnyClock) {
  RecordedTraces traces = recorded(0);
  traces.facts = {8, ~u64{0}, 0, ~u64{0}, 1, 0};
  const auto facts = IntelBtsFacts::of(traces);
  ASSERT_TRUE(facts);
  EXPECT_EQ(facts->time_of(0), ~u64{0});
  EXPECT_LE(facts->time_shift, 63u);
}

}  // namespace
}  // namespace peregrine
