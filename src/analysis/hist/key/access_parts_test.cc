#include "analysis/hist/key/access_parts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "abi/data_source.h"
#include "analysis/hist/key/columns.h"

namespace peregrine {
namespace {

using ::testing::ElementsAre;

// Builds a value of PERF_SAMPLE_DATA_SRC.
u64 word(u8 op, u16 level, u8 number, u8 snoop, u8 tlb) {
  return u64{op} | u64{level} << 5 | u64{snoop} << 19 | u64{tlb} << 26 | u64{number} << 33;
}

std::vector<std::string_view> names_of(u64 data_source) {
  std::vector<std::string_view> names;
  for (const std::size_t part : split_access_parts(access_parts(data_source)))
    names.push_back(access_part_spec(part).name);
  return names;
}

TEST(AccessParts, AnAccessCountsInOnePartOfEachBreakdown) {
  namespace level = abi::access_level;
  namespace number = abi::access_level_number;
  namespace snoop = abi::access_snoop;
  namespace tlb = abi::access_tlb;
  using abi::access_op::Load;
  using abi::access_op::Store;
  EXPECT_THAT(names_of(0), ElementsAre("op_other", "cache_other", "memory_other", "snoop_other", "dtlb_other"));
  EXPECT_THAT(names_of(word(Load, level::Hit | level::L3, 0, snoop::HitModified, tlb::Hit | tlb::L1 | tlb::L2)),
              ElementsAre("op_load", "cache_l3", "memory_other", "snoop_hitm", "dtlb_any_hit"));
  EXPECT_THAT(names_of(word(Load | Store, level::Hit, number::Cxl, snoop::Miss, tlb::Miss | tlb::L2)),
              ElementsAre("op_load_store", "cache_other", "memory_cxl", "snoop_miss", "dtlb_miss"));
  EXPECT_THAT(names_of(word(Store, level::Miss | level::L1, 0, snoop::None, tlb::Hit | tlb::L2)),
              ElementsAre("op_store", "cache_other", "memory_other", "snoop_other", "dtlb_l2_hit"));
  EXPECT_THAT(names_of(word(Load, level::Hit | level::RemoteRam, number::NotAvailable, snoop::Hit, tlb::Hit | tlb::L1)),
              ElementsAre("op_load", "cache_other", "memory_ram", "snoop_hit", "dtlb_l1_hit"));
  EXPECT_THAT(names_of(word(Load, level::Hit | level::FillBuffer, number::FillBuffer, 0, tlb::Walker)),
              ElementsAre("op_load", "cache_l1_buffer", "memory_other", "snoop_other", "dtlb_other"));
}

TEST(AccessParts, AreNumberedByBreakdown) {
  std::size_t parts = 0;
  for (const Breakdown& each : all_breakdowns())
    for (std::size_t at = each.first; at < each.first + each.count; ++at, ++parts)
      EXPECT_EQ(breakdown_of(access_part(at))->name, each.name);
  EXPECT_EQ(parts, kAccessParts);
  EXPECT_EQ(breakdown_of(Metric::Overhead), nullptr);
}

TEST(AccessParts, SnoopIsAKeyUnlessOtherBreakdownsAreAsked) {
  const auto parts = [](const std::optional<std::string>& fields, const std::optional<std::string>& sort) {
    const auto columns = parse_columns({.sort = sort, .fields = fields});
    return std::ranges::count_if(
        columns->shown, [](const Column& column) { return column.is_metric && is_access_part(column.metric); });
  };
  EXPECT_EQ(parts("comm,snoop", std::nullopt), 0);
  EXPECT_EQ(parts("comm,snoop,op", std::nullopt), 4 + 6);
  EXPECT_EQ(parts(std::nullopt, "snoop,op"), 6);
  EXPECT_EQ(parts("mem,cache", std::nullopt), 7);
}

}  // namespace
}  // namespace peregrine
