#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "abi/data_source.h"
#include "abi/record.h"
#include "analysis/hist/key/access_parts.h"
#include "analysis/hist/key/columns.h"
#include "analysis/hist/key/face_keys.h"
#include "analysis/hist/key/face_table.h"
#include "analysis/hist/key/metric.h"
#include "analysis/hist/key/sort_key.h"
#include "analysis/hist/row/row_table.h"
#include "base/types.h"
#include "support/word_profile.h"

namespace peregrine {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// A row table of a profile; `asked`: its columns; `request` adds the others.
struct MetricTable {
  MetricTable(support::WordProfile& profile, const ColumnRequest& asked, RowRequest request = {})
      : columns(*parse_columns(asked)),
        faces(profile.hists.frames(), profile.words, face_keys(columns.keys)),
        table(profile.hists, faces, profile.words, complete(std::move(request))) {}
  std::vector<u64> values(Metric metric) const {
    std::vector<u64> result;
    for (const Row& row : table.rows()) result.push_back(table.value(row, metric));
    return result;
  }

  Columns columns;
  FaceTable faces;
  RowTable table;

 private:
  RowRequest complete(RowRequest request) {
    request.columns = columns;
    return request;
  }
};

TEST(RowLatency, ASampleCostsLessTheMoreThreadsRunBesideIt) {
  support::WordProfile profile(2);
  const u64 alone = profile.words.id("alone"), crowd = profile.words.id("crowd");
  profile.add({.values = {alone, 1}, .chain = {"sh:main"}, .period = 10});
  profile.add({.values = {crowd, 8}, .chain = {"sh:main"}, .period = 40});
  const ColumnRequest asked{.sort = "comm", .latency = true};
  const MetricTable rows(profile, asked, {.columns = {}, .collected = {SortKey::Comm, SortKey::Parallelism}});
  EXPECT_EQ(rows.table.group_text(rows.table.rows()[0], SortKey::Comm), "alone") << "10 alone are more than 40 by 8";
  EXPECT_THAT(rows.values(Metric::Latency), ElementsAre(10 * kLatencyScale, 5 * kLatencyScale));
  EXPECT_THAT(rows.values(Metric::Overhead), ElementsAre(10, 40));
  EXPECT_EQ(rows.table.total(Metric::Latency), 15 * kLatencyScale);
}

TEST(RowLatency, PeriodsByUpToEightThreadsStayWhole) {
  for (u64 threads = 1; threads <= 8; ++threads) EXPECT_EQ(kLatencyScale % threads, 0u) << threads;
}

TEST(RowLatency, AnUnknownNumberOfThreadsIsOne) {
  support::WordProfile profile(1);
  profile.add({.values = {0}, .chain = {"sh:main"}, .period = 3});
  const MetricTable rows(profile, {.sort = "symbol"}, {.columns = {}, .collected = {SortKey::Parallelism}});
  EXPECT_THAT(rows.values(Metric::Latency), ElementsAre(3 * kLatencyScale));
}

TEST(RowWeights, AreMeansInTenthsRounded) {
  support::WordProfile profile(2);
  const u64 comm = profile.words.id("sh");
  for (const u64 weight : {10, 11}) profile.add({.values = {comm, weight}, .chain = {"sh:a"}, .period = 9});
  for (const u64 weight : {1, 1, 3}) profile.add({.values = {comm, weight}, .chain = {"sh:b"}});
  const MetricTable rows(profile, {.fields = "weight1,overhead,comm,symbol"},
                         {.columns = {}, .collected = {SortKey::Comm, SortKey::LocalWeight}});
  EXPECT_THAT(rows.values(Metric::Weight1), ElementsAre(105, 17)) << "10.5, and 5/3";
  EXPECT_THAT(rows.values(Metric::Weight2), ElementsAre(0, 0)) << "not collected";
}

TEST(RowModes, SplitARowByProcessorMode) {
  support::WordProfile profile(1);
  const std::pair<u16, u64> modes[] = {{abi::misc_bit::Kernel, 1},
                                       {abi::misc_bit::User, 20},
                                       {abi::misc_bit::GuestKernel, 300},
                                       {abi::misc_bit::GuestUser, 4000},
                                       {abi::misc_bit::Hypervisor, 50000}};
  for (const auto& [mode, period] : modes) profile.add({.values = {mode}, .chain = {"sh:main"}, .period = period});
  const MetricTable rows(profile, {.sort = "symbol"}, {.columns = {}, .by_cpumode = true});
  EXPECT_THAT(rows.values(Metric::Overhead), ElementsAre(54321));
  EXPECT_THAT(rows.values(Metric::OverheadSys), ElementsAre(1));
  EXPECT_THAT(rows.values(Metric::OverheadUser), ElementsAre(20));
  EXPECT_THAT(rows.values(Metric::OverheadGuestSys), ElementsAre(300));
  EXPECT_THAT(rows.values(Metric::OverheadGuestUser), ElementsAre(4000));
}

TEST(RowModes, AreZeroUnlessCollected) {
  support::WordProfile profile(0);
  profile.add({.chain = {"sh:main"}, .period = 5});
  EXPECT_THAT(MetricTable(profile, {.sort = "symbol"}).values(Metric::OverheadUser), ElementsAre(0));
}

TEST(RowBreakdowns, AddUpToTheRowAndHideWhatNeverOccurs) {
  using namespace abi;
  support::WordProfile profile(1);
  const u64 load = access_parts(access_op::Load), store = access_parts(access_op::Store);
  profile.add({.values = {load}, .chain = {"sh:main"}, .period = 30});
  profile.add({.values = {store}, .chain = {"sh:main"}, .period = 12});
  const MetricTable rows(profile, {.fields = "overhead,op,symbol"},
                         {.columns = {}, .collected = {SortKey::AccessParts}});
  std::vector<std::string> shown;
  u64 sum = 0;
  for (const Column& column : rows.table.request().columns.shown) {
    if (!column.is_metric || !is_access_part(column.metric)) continue;
    const u64 value = rows.table.value(rows.table.rows()[0], column.metric);
    shown.push_back(fmt::format("{} {}", spec_of(column.metric).name, value));
    sum += value;
  }
  EXPECT_THAT(shown, ElementsAre("op_load 30", "op_store 12"));
  EXPECT_EQ(sum, rows.table.sums(rows.table.rows()[0]).period);
}

TEST(RowTable, CountsOnlyEntriesThatWereKept) {
  support::WordProfile profile(0);
  profile.add({.chain = {"sh:a"}, .period = 1});
  profile.add({.chain = {"sh:b"}, .period = 2});
  profile.add({.chain = {"sh:main", "sh:c"}, .period = 4});
  const MetricTable rows(profile, {.sort = "symbol", .children = true},
                         {.columns = {}, .children = true, .kept_entries = {false, true, true}});
  EXPECT_THAT(rows.values(Metric::Overhead), ::testing::UnorderedElementsAre(2, 4, 0));
  EXPECT_THAT(rows.values(Metric::OverheadChildren), ElementsAre(4, 4, 2));
  EXPECT_EQ(rows.table.total_period(), 7u) << "percentages stay those of all samples";
}

TEST(RowTable, PercentagesAreOfAllOrOfWhatPassedTheFilters) {
  support::WordProfile profile(0);
  profile.add({.chain = {"sh:a"}, .period = 10});
  profile.hists.totals(0) = {
      .samples = 4, .period = 40, .shown_samples = 1, .shown_period = 10, .chain_period = 30, .shown_chain_period = 9};
  const MetricTable all(profile, {.sort = "symbol"}),
      shown(profile, {.sort = "symbol"}, {.columns = {}, .relative = true});
  EXPECT_EQ(all.table.total_period(), 40u);
  EXPECT_EQ(all.table.chain_total(), 30u);
  EXPECT_EQ(shown.table.total_period(), 10u);
  EXPECT_EQ(shown.table.chain_total(), 9u);
}

TEST(RowTable, KnowsTheEntriesOfARowAndOfAGroup) {
  support::WordProfile profile(1);
  const u64 sh = profile.words.id("sh"), cc = profile.words.id("cc");
  profile.add({.values = {sh}, .chain = {"sh:main", "sh:f"}, .period = 8});
  profile.add({.values = {cc}, .chain = {"sh:f"}, .period = 1});
  profile.add({.values = {sh}, .chain = {"sh:f"}, .period = 2});
  profile.add({.event = 1, .values = {sh}, .chain = {"sh:f"}, .period = 100});
  const MetricTable rows(profile, {.sort = "comm,symbol", .children = true}, {.columns = {}, .children = true});
  ASSERT_EQ(rows.table.rows().size(), 3u);  // sh f, sh main, cc f
  EXPECT_THAT(rows.table.entries_of(0), ElementsAre(0, 2));
  EXPECT_THAT(rows.table.entries_of(1), IsEmpty()) << "a caller has no samples of its own";
  EXPECT_THAT(rows.table.entries_of(2), ElementsAre(1));
  EXPECT_THAT(rows.table.entries_by_group().of(rows.table.rows()[1].group), ElementsAre(0, 2));
}

// As in linux-perf, which compares addresses as signed numbers.
TEST(RowOrder, OfEqualSumsNamesComeFirstThenTheKernelsAddresses) {
  support::WordProfile profile(0);
  for (const std::string_view frame : {"sh:0x10", "[kernel]:0xffffffff81000000", "sh:main", "sh:0x20"})
    profile.add({.chain = {frame}});
  const MetricTable rows(profile, {.sort = "symbol"});
  std::vector<std::string> order;
  for (const Row& row : rows.table.rows()) {
    const FrameLook& look = rows.table.frame_look(row);
    order.push_back(look.symbol.valid() ? std::string(rows.faces.text(look.symbol))
                                        : fmt::format("{:#x}", look.address));
  }
  EXPECT_THAT(order, ElementsAre("main", "0xffffffff81000000", "0x10", "0x20"));
}

TEST(RowOrder, DoesNotDependOnTheOrderOfSamples) {
  const std::vector<support::WordSample> samples = {{.chain = {"a:x"}, .period = 5}, {.chain = {"b:x"}, .period = 5},
                                                    {.chain = {"a:y"}, .period = 5}, {.chain = {"a:0x40"}, .period = 5},
                                                    {.chain = {"b:y"}, .period = 9}, {.chain = {"0x40"}, .period = 5}};
  std::vector<std::vector<std::string>> orders;
  for (std::size_t first = 0; first < samples.size(); ++first) {
    support::WordProfile profile(0);
    for (const char* word : {"a", "b", "x", "y"})
      profile.words.id(word);  // the names include event numbers, whatever
                               // the order
    for (std::size_t at = 0; at < samples.size(); ++at) profile.add(samples[(first + at) % samples.size()]);
    const MetricTable rows(profile, {.sort = "dso,symbol"});
    std::vector<std::string>& order = orders.emplace_back();
    for (const Row& row : rows.table.rows()) {
      const FrameLook& look = rows.table.frame_look(row);
      order.push_back(
          fmt::format("{} {}", rows.faces.text(look.dso), look.symbol.valid() ? rows.faces.text(look.symbol) : "?"));
    }
  }
  EXPECT_THAT(orders[0], ElementsAre("b y", "a x", "a y", "a ?", "b x", "[unknown] ?"));
  for (const auto& order : orders) EXPECT_EQ(order, orders[0]);
}

TEST(GroupLayout, OnlyKeysThatAreNotFramesHaveAColumn) {
  const std::vector<SortKey> keys = {SortKey::Comm, SortKey::Dso, SortKey::Cpu, SortKey::Symbol, SortKey::AddressTo};
  EXPECT_EQ(group_column(keys, SortKey::Comm), 1) << "after the event";
  EXPECT_EQ(group_column(keys, SortKey::Cpu), 2);
  EXPECT_EQ(group_column(keys, SortKey::AddressTo), 3);
  EXPECT_EQ(group_column(keys, SortKey::Dso), -1);
  EXPECT_EQ(group_column(keys, SortKey::Pid), -1);
  EXPECT_EQ(group_width(keys, GroupTail::None), 4u);
  EXPECT_EQ(group_width(keys, GroupTail::Cpumode), 5u);
  EXPECT_EQ(group_width(keys, GroupTail::Process), 5u);
  EXPECT_EQ(group_width({}, GroupTail::None), 1u);
}

TEST(CollectedKeys, IncludeWhatMetricsAreMadeOf) {
  const auto collected = [](std::string_view fields, bool parallelism = false) {
    std::vector<std::string_view> names;
    for (const SortKey key : collected_keys(*parse_columns({.fields = std::string(fields)}), parallelism))
      names.push_back(key == SortKey::AccessParts ? "parts" : key->name);
    return names;
  };
  EXPECT_THAT(collected("overhead,comm"), ElementsAre("comm"));
  EXPECT_THAT(collected("comm,weight1,weight3"), ElementsAre("comm", "local_weight", "local_p_stage_cyc"));
  EXPECT_THAT(collected("local_weight,weight1"), ElementsAre("local_weight")) << "once";
  EXPECT_THAT(collected("comm,op,cache"), ElementsAre("comm", "parts"));
  EXPECT_THAT(collected("comm", true), ElementsAre("comm", "parallelism"));
}

}  // namespace
}  // namespace peregrine
