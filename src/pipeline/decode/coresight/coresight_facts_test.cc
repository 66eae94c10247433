#include "pipeline/decode/coresight/coresight_facts.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <utility>

namespace peregrine {
namespace {

constexpr u64 kEtm3 = 0x3030303030303030, kEtm4 = 0x4040404040404040, kEte = 0x5050505050505050;

RecordedTraces coresight_with(std::vector<u64> words) {
  RecordedTraces traces;
  traces.type = TraceType::CoreSight;
  traces.facts = std::move(words);
  traces.pieces.push_back({.cpu = 0});
  return traces;
}

u64 counted(u64 units) { return u64{8} << 32 | units; }

TEST(CoreSightFacts, ReadsTheRegistersOfEachUnit) {
  const auto facts = CoreSightFacts::of(coresight_with({1,     counted(2), 0,                                 //
                                                        kEtm4, 0,          7, 0xc0, 0x10, 1,  2,  3,  4,  5,  //
                                                        kEte,  5,          9, 0xc1, 0x12, 11, 12, 13, 14, 15, 16, 17}));
  ASSERT_TRUE(facts);
  EXPECT_EQ(facts->pmu_type, 8u);
  EXPECT_TRUE(facts->per_cpu);
  ASSERT_EQ(facts->units.size(), 2u);
  EXPECT_FALSE(facts->units[0].registers.ete);
  EXPECT_EQ(facts->units[0].registers.config, 0xc0u);
  EXPECT_EQ(facts->units[0].registers.trace_id, 0x10u);
  EXPECT_EQ(facts->units[0].registers.idr8, 4u);
  EXPECT_TRUE(facts->units[1].registers.ete);
  EXPECT_EQ(facts->units[1].cpu, 5u);
  EXPECT_EQ(facts->units[1].registers.devarch, 16u);
}

// The first version does not count the registers.
TEST(CoreSightFacts, ReadsTheFirstVersion) {
  const auto facts =
      CoreSightFacts::of(coresight_with({0,     counted(2), 0,    kEtm4, 0, 0xc0, 0x10, 1, 2, 3, 4, 5,  //
                                         kEtm4, 1,          0xc0, 0x11,  1, 2,    3,    4, 5}));
  ASSERT_TRUE(facts);
  ASSERT_EQ(facts->units.size(), 2u);
  EXPECT_EQ(facts->units[1].registers.trace_id, 0x11u);
}

TEST(CoreSightFacts, CountsUnitsThatAreNotDecoded) {
  const auto facts = CoreSightFacts::of(coresight_with({1,     counted(2), 0, kEtm3, 0,    4, 1, 2, 3, 4,  //
                                                        kEtm4, 1,          7, 0xc0,  0x11, 1, 2, 3, 4, 5}));
  ASSERT_TRUE(facts);
  EXPECT_EQ(facts->skipped, 1u);
  EXPECT_EQ(facts->units.size(), 1u);
}

TEST(CoreSightFacts, RejectsWordsThatEndEarlyOrAreUnknown) {
  const std::vector<u64> whole = {1, counted(1), 0, kEtm4, 0, 7, 0xc0, 0x10, 1, 2, 3, 4, 5};
  ASSERT_TRUE(CoreSightFacts::of(coresight_with(whole)));
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_FALSE(CoreSightFacts::of(coresight_with({whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)})))
        << size;
  for (const auto& [at, value] :
       {std::pair<std::size_t, u64>{0, 3}, {1, counted(1u << 20)}, {3, 5}, {5, ~u64{0}}, {5, 6}}) {
    auto words = whole;
    words[at] = value;
    EXPECT_FALSE(CoreSightFacts::of(coresight_with(words))) << at;
  }
}

}  // namespace
}  // namespace peregrine
