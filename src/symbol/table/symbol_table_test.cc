#include "symbol/table/symbol_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "symbol/table/search_tree.h"
#include "symbol/table/symbol_table_builder.h"

namespace peregrine {
namespace {

TEST(SymbolTable, EmptyFindsNothing) {
  const SymbolTable table;
  EXPECT_FALSE(table.find(0));
  EXPECT_FALSE(table.find(~u64{0}));
}

TEST(SymbolTable, AgreesWithALinearSearch) {
  std::mt19937_64 random(11);
  for (const u64 spread : {u64{1} << 12, u64{1} << 20, u64{1} << 40, ~u64{0}}) {
    std::set<u64> cuts;
    while (cuts.size() < 400) cuts.insert(random() % spread);
    const std::vector<u64> starts(cuts.begin(), cuts.end());
    SymbolTableBuilder builder(NameStyle::Plain);
    std::vector<SymbolRange> ranges;
    for (std::size_t i = 0; i + 1 < starts.size(); ++i) {
      const u64 gap = starts[i + 1] - starts[i];
      ranges.push_back({starts[i], starts[i] + (random() % 4 == 0 ? gap / 2 : gap)});
    }
    for (const SymbolRange& range : ranges)
      builder.add({.start = range.start, .end = range.end, .name = builder.keep(std::to_string(range.start))});
    const SymbolTable table = builder.build();
    ASSERT_EQ(table.size(), ranges.size());
    const auto expect_at = [&](u64 address) {
      const auto found = std::ranges::find_if(ranges, [&](const SymbolRange& r) { return r.covers(address); });
      const auto symbol = table.find(address);
      ASSERT_EQ(symbol.has_value(), found != ranges.end()) << address;
      if (symbol) EXPECT_EQ(symbol->start, found->start);
    };
    for (const SymbolRange& range : ranges)
      for (const u64 address : {range.start, range.end, range.end - 1, range.start - 1}) expect_at(address);
    for (int i = 0; i < 1000; ++i) expect_at(random() % spread);
  }
}

TEST(SymbolTable, OverlapsAreDecidedByTheOrderOfInsertion) {
  // Three nested symbols: the middle one in order of start is the root of linux-perf's tree, and is checked first.
  SymbolTableBuilder builder(NameStyle::Plain);
  builder.add({.start = 0x100, .end = 0x200, .name = "outer"});
  builder.add({.start = 0x120, .end = 0x180, .name = "middle"});
  builder.add({.start = 0x140, .end = 0x160, .name = "inner"});
  const SymbolTable table = builder.build();
  EXPECT_EQ(table.find(0x110)->name, "outer");
  EXPECT_EQ(table.find(0x130)->name, "middle");
  EXPECT_EQ(table.find(0x150)->name, "middle");
  EXPECT_FALSE(table.find(0x190));  // the search goes right at the root, past the outer symbol
}

TEST(SymbolTable, AliasesMayDifferInTheirFirstCharacter) {
  SymbolTableBuilder builder(NameStyle::Mangled);
  for (const char* name : {"_Z3addii", "add_ints"})
    builder.add(
        {.start = 0x100, .end = 0x110, .name = name, .binding = SymbolBinding::Global, .type = SymbolType::Function});
  const SymbolTable table = builder.build();
  ASSERT_TRUE(table.find(0x108));
  EXPECT_EQ(table.find(0x108)->name, "_Z3addii");  // displayed as add(int, int), which is longer
}

TEST(SymbolTable, EmptySymbolCoversItsStart) {
  SymbolTableBuilder builder(NameStyle::Plain);
  builder.add({.start = 0x100, .end = 0x100, .name = "label"});
  const SymbolTable table = builder.build();
  EXPECT_EQ(table.find(0x100)->name, "label");
  EXPECT_FALSE(table.find(0x101));
}

TEST(SymbolTable, NamesBeyondTheLimitAreEmpty) {
  SymbolTableBuilder builder(NameStyle::Plain);
  const std::string name(1000, 'x');
  for (u64 i = 0; i < 10; ++i) builder.add({.start = i * 16, .end = i * 16 + 16, .name = name});
  const SymbolTable table = builder.build(3500);
  EXPECT_EQ(table.size(), 10u);
  EXPECT_EQ(table.find(0)->name, name);
  EXPECT_EQ(table.find(9 * 16)->name, "");
}

TEST(SearchTree, FindsWhatWasInsertedAndNotErased) {
  std::mt19937 random(5);
  std::vector<SymbolRange> ranges;
  for (u64 i = 0; i < 2000; ++i) ranges.push_back({i * 10, i * 10 + 10});
  std::ranges::shuffle(ranges, random);
  SearchTree tree(ranges);
  std::vector<bool> in(ranges.size());
  for (u32 i = 0; i < ranges.size(); ++i) {
    tree.insert(i);
    in[i] = true;
    if (i % 3 == 2) {
      const u32 gone = random() % (i + 1);
      if (in[gone]) tree.erase(gone);
      in[gone] = false;
    }
  }
  for (u32 i = 0; i < ranges.size(); ++i) EXPECT_EQ(tree.find(ranges[i].start + 5), in[i] ? i : SearchTree::kNone);
  for (u32 i = 0; i < ranges.size(); ++i)
    if (in[i]) tree.erase(i);
  EXPECT_EQ(tree.find(5), SearchTree::kNone);
}

}  // namespace
}  // namespace peregrine
