#include "analysis/hist/row/row_value.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string_view>
#include <utility>

#include "analysis/hist/chain/hist_frame.h"
#include "analysis/hist/key/face_keys.h"
#include "analysis/hist/key/naming.h"
#include "analysis/hist/row/block_rows.h"
#include "support/word_profile.h"

namespace peregrine {
namespace {

using ::testing::ElementsAre;

// A value with its type: "u7", "i-1", "d12.5", "'text'", "-" for an empty value.
std::string typed(const RowValue& value) {
  struct Visit {
    std::string operator()(std::monostate) const { return "-"; }
    std::string operator()(u64 number) const { return fmt::format("u{}", number); }
    std::string operator()(i64 number) const { return fmt::format("i{}", number); }
    std::string operator()(double number) const { return fmt::format("d{}", number); }
    std::string operator()(const std::string& text) const { return fmt::format("'{}'", text); }
  };
  return std::visit(Visit(), value);
}

// The rows of a profile as values; `sort`: the keys; the group keys among them are the sample's values, in order.
struct RowValueTable {
  RowValueTable(const support::WordProfile& profile, Naming& naming, ColumnRequest asked, RowRequest request = {})
      : faces(profile.hists.frames(), naming, face_keys(parsed(asked).keys)),
        table(profile.hists, faces, naming, with_columns(std::move(request), parsed(asked))) {}

  std::vector<std::string> row(std::size_t at, const std::vector<std::string>& events = {"cycles"}) const {
    RowValues values(table, events);
    std::vector<std::string> result;
    const std::vector<RowValue>& own = values.of(table.rows().at(at));
    EXPECT_EQ(own.size(), values.names().size());
    for (std::size_t i = 0; i < own.size(); ++i) result.push_back(values.names()[i] + "=" + typed(own[i]));
    return result;
  }

  FaceTable faces;
  RowTable table;

 private:
  static Columns parsed(const ColumnRequest& asked) {
    const auto columns = parse_columns(asked);
    EXPECT_TRUE(columns) << (columns ? "" : columns.error().message);
    return columns ? *columns : Columns();
  }
  static RowRequest with_columns(RowRequest request, Columns columns) {
    request.columns = std::move(columns);
    return request;
  }
};

TEST(RowValue, EachColumnHasItsType) {
  support::WordProfile profile(4);
  profile.add(
      {.values = {profile.words.id("sh"), 41, ~u64{0}, 1'500'000'000}, .chain = {"libc.so:malloc"}, .period = 3});
  profile.add({.values = {profile.words.id("cc"), 42, 1, 0}, .chain = {"libc.so:malloc"}, .period = 1});
  const RowValueTable rows(profile, profile.words, {.sort = "comm,pid,cpu,time,dso,symbol"});
  EXPECT_THAT(rows.row(0),
              ElementsAre("overhead=d75", "comm='sh'", "tid=i41", "thread_comm='thread-41'", "cpu=i-1", "time=d1.5",
                          "dso='libc.so'", "symbol='malloc'", "level='.'", "period=u3", "samples=u1"));
}

TEST(RowValue, UnknownPlacesAreAddressesAndUnknownSizesAreNothing) {
  support::WordProfile profile(0);
  profile.words.set_dso_size("sh", 4096);
  profile.add({.chain = {"sh:0x40"}, .period = 2});
  profile.add({.chain = {"0x7f00"}, .period = 1});
  const RowValueTable rows(profile, profile.words, {.sort = "dso,symbol,symbol_size,dso_size,srcline"});
  EXPECT_THAT(rows.row(0),
              ::testing::IsSupersetOf({"dso='sh'", "symbol='0x40'", "symbol_size=-", "dso_size=u4096", "srcline=-"}));
  EXPECT_THAT(rows.row(1), ::testing::IsSupersetOf({"dso='[unknown]'", "symbol='0x7f00'", "dso_size=-"}));
}

TEST(RowValue, PlacesInCodeAreOffsetsInFunctions) {
  support::WordProfile profile(2, {false, true, true});
  profile.words.set_extent("main", 0x100, 0x200);
  const auto place = [&](u64 address) {
    HistFrame frame = profile.words.frame("sh:main");
    frame.address = address;
    return u64{profile.hists.frames().intern(frame).value};
  };
  profile.add({.values = {place(0x110), profile.intern("sh:0x40").value}, .chain = {"sh:main"}, .period = 2});
  profile.add({.values = {place(0x100), place(0x1ff)}, .chain = {"sh:main"}, .period = 1});
  const RowValueTable rows(profile, profile.words, {.sort = "addr_from,addr_to", .branches = true});
  EXPECT_THAT(rows.row(0), ElementsAre("overhead=d66.66666666666667", "addr_from='main+0x10'", "addr_from_level='.'",
                                       "addr_to='0x40'", "addr_to_level='.'", "period=u2", "samples=u1"));
  EXPECT_THAT(rows.row(1), ::testing::IsSupersetOf({"addr_from='main'", "addr_to='main+0xff'"}));
}

TEST(RowValue, TotalsCountEachSampleAndZeroCyclesAreUnknown) {
  support::WordProfile profile(3);
  for (int i = 0; i < 3; ++i) profile.add({.values = {50, 0, 0xabc000}, .chain = {"sh:main"}});
  const RowValueTable rows(profile, profile.words, {.sort = "weight,cycles,phys_daddr", .branches = true});
  EXPECT_THAT(rows.row(0), ElementsAre("overhead=d100", "weight=u150", "cycles=-", "phys_daddr='0xabc000'", "period=u3",
                                       "samples=u3"));
}

TEST(RowValue, MembersOfAGroupHaveColumnsOfTheirOwn) {
  support::WordProfile profile(1);
  profile.add({.values = {profile.words.id("sh")}, .chain = {"sh:main"}, .period = 30});
  profile.add({.values = {profile.words.id("cc")}, .chain = {"sh:main"}, .period = 70});
  profile.add({.event = 1, .values = {profile.words.id("sh")}, .chain = {"sh:main"}, .period = 5});
  const RowValueTable rows(profile, profile.words, {.sort = "comm"}, {.events = {0, 1}, .columns = {}});
  EXPECT_THAT(rows.row(1, {"cycles", "faults"}),
              ElementsAre("overhead.cycles=d30", "overhead.faults=d100", "comm='sh'", "period.cycles=u30",
                          "period.faults=u5", "samples.cycles=u1", "samples.faults=u1"));
}

TEST(RowValue, WithoutEventsThereAreOnlyKeys) {
  support::WordProfile profile(1);
  profile.add({.values = {profile.words.id("sh")}, .chain = {"sh:main"}});
  const RowValueTable rows(profile, profile.words, {.sort = "comm"});
  EXPECT_THAT(rows.row(0, {}), ElementsAre("comm='sh'"));
}

TEST(RowValue, ChildrenAreUnknownUnlessTheyWereSummed) {
  support::WordProfile profile(0);
  profile.add({.chain = {"sh:main", "sh:work"}, .period = 4});
  ColumnRequest asked{.fields = "overhead_children,overhead,symbol"};
  EXPECT_EQ(RowValueTable(profile, profile.words, asked).row(0)[0], "overhead_children=-");
  EXPECT_EQ(RowValueTable(profile, profile.words, asked, {.columns = {}, .children = true}).row(0)[0],
            "overhead_children=d100");
}

TEST(RowValue, PercentagesOfNothingAreZero) {
  support::WordProfile profile(1);
  profile.add({.values = {profile.words.id("sh")}, .chain = {"sh:main"}, .period = 0});
  const RowValueTable rows(profile, profile.words, {.sort = "comm"});
  EXPECT_THAT(rows.row(0), ElementsAre("overhead=d0", "comm='sh'", "period=u0", "samples=u1"));
  EXPECT_EQ(RowValues(rows.table, {"cycles"}).percent(u64{5}), 0);
}

TEST(RowValue, ANodeOfATreeHasNothingForDeeperLevels) {
  support::WordProfile profile(1);
  profile.add({.values = {profile.words.id("sh")}, .chain = {"libc.so:free"}, .period = 1});
  profile.add({.values = {profile.words.id("sh")}, .chain = {"sh:main"}, .period = 3});
  const RowValueTable rows(profile, profile.words, {.sort = "comm,dso,symbol"});
  const RowTree tree(rows.table, rows.table.request().columns.levels);
  RowValues values(rows.table, {"cycles"});
  const auto texts = [&](u32 node) {
    std::vector<std::string> result;
    for (const RowValue& value : values.of(tree, node)) result.push_back(typed(value));
    return result;
  };
  const u32 shell = tree.roots()[0], program = tree.node(shell).children[0];
  EXPECT_THAT(texts(shell), ElementsAre("d100", "'sh'", "-", "-", "-", "u4", "u2"));
  EXPECT_THAT(texts(program), ElementsAre("d75", "'sh'", "'sh'", "-", "-", "u3", "u1"));
}

// Code blocks between two branches: a sample for each run, with its cycles as the period.
struct BlockRowsTest : ::testing::Test {
  BlockRowsTest() { profile.words.set_extent("main", 0x100, 0x200); }
  u64 end(u64 address, std::string_view line = {}) {
    HistFrame frame = profile.words.frame("sh:main");
    frame.address = address;
    if (!line.empty()) frame.line = profile.words.id(line);
    return profile.hists.frames().intern(frame).value;
  }
  void run(u64 from, u64 to, u64 cycles) {
    profile.add({.values = {from, to}, .chain = {"sh:main"}, .period = cycles});
  }
  std::vector<BlockRow> rows() {
    made = std::make_unique<RowValueTable>(profile, profile.words,
                                           ColumnRequest{.sort = "addr_from,addr_to", .branches = true});
    return block_rows(made->table);
  }
  support::WordProfile profile{2, {false, true, true}};
  std::unique_ptr<RowValueTable> made;
};

TEST_F(BlockRowsTest, HaveSharesOfCyclesAndOfMeans) {
  run(end(0x110), end(0x120), 30);
  run(end(0x110), end(0x120), 31);
  run(end(0x130), end(0x140), 39);
  const std::vector<BlockRow> blocks = rows();
  ASSERT_EQ(blocks.size(), 2u);
  EXPECT_EQ(blocks[0].cycles, 61u);
  EXPECT_EQ(blocks[0].runs, 2u);
  EXPECT_EQ(blocks[0].mean, 30u) << "rounded down";
  EXPECT_DOUBLE_EQ(blocks[0].share, 61);
  EXPECT_DOUBLE_EQ(blocks[0].mean_share, 100.0 * 30 / 69);
  EXPECT_EQ(blocks[0].start, "main+0x10");
  EXPECT_EQ(blocks[0].end, "main+0x20");
  EXPECT_EQ(blocks[0].dso, "sh");
}

TEST_F(BlockRowsTest, EndsAreLinesWhereTheyAreKnown) {
  run(end(0x110, "main.c:12"), end(0x120, "??:0"), 1);
  const std::vector<BlockRow> blocks = rows();
  EXPECT_EQ(blocks.at(0).start, "main.c:12");
  EXPECT_EQ(blocks.at(0).end, "main+0x20") << "a placeholder for an unknown line is none";
}

TEST_F(BlockRowsTest, EndsWithoutAFunctionAreAddresses) {
  run(profile.intern("sh:0x40").value, profile.intern("0x7f00").value, 0);
  const std::vector<BlockRow> blocks = rows();
  EXPECT_EQ(blocks.at(0).start, "0x40");
  EXPECT_EQ(blocks.at(0).end, "0x7f00");
  EXPECT_EQ(blocks.at(0).share, 0) << "of no cycles at all";
  EXPECT_EQ(blocks.at(0).mean_share, 0);
}

TEST_F(BlockRowsTest, AreNoneWithoutBranches) { EXPECT_TRUE(rows().empty()); }

}  // namespace
}  // namespace peregrine
