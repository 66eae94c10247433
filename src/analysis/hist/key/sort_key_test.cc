#include "analysis/hist/key/sort_key.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "analysis/hist/key/columns.h"
#include "analysis/hist/key/metric.h"
#include "base/result.h"

namespace peregrine {
namespace {

using ::testing::Eq;

Result<Columns> parse(std::string_view key, bool branches = true) {
  return parse_columns({.sort = std::string(key), .branches = branches});
}

// All keys that `report -s help` of linux-perf 6.1 lists, except ipc_null and ipc_lbr, which it rejects.
constexpr std::string_view kLinuxPerf61[] = {"overhead",
                                             "overhead_sys",
                                             "overhead_us",
                                             "overhead_guest_sys",
                                             "overhead_guest_us",
                                             "overhead_children",
                                             "sample",
                                             "period",
                                             "pid",
                                             "comm",
                                             "dso",
                                             "symbol",
                                             "parent",
                                             "cpu",
                                             "socket",
                                             "srcline",
                                             "srcfile",
                                             "local_weight",
                                             "weight",
                                             "transaction",
                                             "trace",
                                             "symbol_size",
                                             "dso_size",
                                             "cgroup",
                                             "cgroup_id",
                                             "time",
                                             "code_page_size",
                                             "local_ins_lat",
                                             "ins_lat",
                                             "local_p_stage_cyc",
                                             "p_stage_cyc",
                                             "addr",
                                             "dso_from",
                                             "dso_to",
                                             "symbol_from",
                                             "symbol_to",
                                             "mispredict",
                                             "abort",
                                             "in_tx",
                                             "cycles",
                                             "srcline_from",
                                             "srcline_to",
                                             "addr_from",
                                             "addr_to",
                                             "symbol_daddr",
                                             "dso_daddr",
                                             "locked",
                                             "tlb",
                                             "mem",
                                             "snoop",
                                             "dcacheline",
                                             "symbol_iaddr",
                                             "phys_daddr",
                                             "data_page_size",
                                             "blocked"};
constexpr std::string_view kLater[] = {"retire_lat", "local_retire_lat", "simd",        "symoff",      "type",
                                       "typeoff",    "typecln",          "parallelism", "latency",     "weight1",
                                       "weight2",    "weight3",          "tgid",        "comm_nodigit"};

TEST(SortKey, EachNameOfLinuxPerfIsAColumnOfThatName) {
  for (const auto& names : {std::span<const std::string_view>(kLinuxPerf61), std::span<const std::string_view>(kLater)})
    for (const std::string_view name : names) {
      const Result<Columns> columns = parse(name);
      ASSERT_TRUE(columns) << name;
      bool found = false;
      for (const Column& column : columns->shown)
        found = found || (column.is_metric ? spec_of(column.metric).name : column.key->name) == name;
      EXPECT_TRUE(found) << name;
    }
}

TEST(SortKey, EachRowSaysHowItsValuesAndTextsAreMade) {
  for (const SortKeySpec& row : all_sort_keys()) {
    EXPECT_EQ(row.value == nullptr, row.source == KeySource::Frame) << row.name;
    EXPECT_EQ(row.text != nullptr, is_text(row)) << row.name;
    EXPECT_THAT(std::ranges::count(all_sort_keys(), row.name, &SortKeySpec::name), Eq(1)) << row.name;
  }
}

TEST(SortKey, KeysWithNamesInTheCodeAreTheRowsOfThoseNames) {
  EXPECT_THAT(SortKey::Comm->name, Eq("comm"));
  EXPECT_EQ(SortKey::Dso, parse("dso")->keys.at(0));
  EXPECT_FALSE(SortKey::Dso == SortKey::Symbol);
}

TEST(SortKey, NeedsAreThoseOfAnyKey) {
  EXPECT_FALSE(needs_of(parse("comm,dso")->keys).has(KeyNeed::Lines));
  const KeyNeeds needs = needs_of(parse("comm,srcline,type")->keys);
  EXPECT_TRUE(needs.has(KeyNeed::Lines));
  EXPECT_TRUE(needs.has(KeyNeed::DataTypes));
  EXPECT_FALSE(needs.has(KeyNeed::Traces));
  for (const SortKeySpec& row : all_sort_keys()) {
    const SortKey keys[] = {SortKey::Comm, row};
    EXPECT_TRUE(needs_of(keys) == row.needs) << row.name;
  }
}

TEST(SortKey, FieldsOfTracepointsHaveOneRowEach) {
  EXPECT_TRUE(is_dynamic(dynamic_key(3)));
  EXPECT_EQ(dynamic_index(dynamic_key(3)), 3u);
  EXPECT_EQ(dynamic_key(3), dynamic_key(3));
  EXPECT_FALSE(dynamic_key(3) == dynamic_key(4));
  EXPECT_FALSE(is_dynamic(SortKey::Comm));
}

TEST(SortKey, AbbreviationsMeanTheFirstInLinuxPerfsOrder) {
  const auto meant = [](std::string_view word) { return parse(word)->keys.at(0)->name; };
  EXPECT_THAT(meant("c"), Eq("comm"));
  EXPECT_THAT(meant("s"), Eq("symbol"));
  EXPECT_THAT(meant("t"), Eq("transaction"));
  EXPECT_THAT(meant("ds"), Eq("dso"));
  EXPECT_THAT(meant("p"), Eq("pid"));
}

TEST(SortKey, ColumnsThatLinuxPerfRefusesAreRefusedWithAnotherWay) {
  for (const std::string_view name : {"ipc_null", "ipc_lbr"}) {
    const Result<Columns> columns = parse(name);
    ASSERT_FALSE(columns) << name;
    EXPECT_THAT(columns.error().hint, ::testing::HasSubstr("--total-cycles"));
  }
}

}  // namespace
}  // namespace peregrine
