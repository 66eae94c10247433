#include "symbol/cfi/function_extents.h"

#include <elf.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <initializer_list>
#include <string>
#include <utility>

#include "base/bytes.h"
#include "base/types.h"
#include "support/elf_image.h"
#include "symbol/table/symbol_table.h"
#include "symbol/table/symbol_table_builder.h"

namespace peregrine {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// .eh_frame with one CIE, which uses absolute pointers, and an FDE for each function.
std::vector<std::byte> eh_frame(std::initializer_list<std::pair<u64, u64>> functions) {
  ByteWriter out(ByteOrder::Little);
  out.put32(16).put32(0).put8(1).put8(0).put8(1).put8(0x78).put8(16).zeros(7);
  for (const auto& [start, size] : functions) {
    const u32 to_cie = static_cast<u32>(out.size()) + 4;
    out.put32(20).put32(to_cie).put64(start).put64(size);
  }
  out.put32(0);
  const Bytes bytes = out.bytes();
  return {bytes.begin(), bytes.end()};
}

std::vector<FunctionExtent> extents_of(std::initializer_list<std::pair<u64, u64>> functions) {
  ElfImage image;  // .text is at 0x11000, at file offset 0x1000
  image.extra.push_back({.name = ".eh_frame", .contents = eh_frame(functions), .flags = SHF_ALLOC});
  return function_extents(*ElfFile::from_bytes(image.bytes(), "stripped"));
}

TEST(FunctionExtents, AreFileOffsetsInOrder) {
  EXPECT_THAT(extents_of({{0x11080, 0x20}, {0x11010, 0x30}}),
              ElementsAre(FunctionExtent{0x1010, 0x1040}, FunctionExtent{0x1080, 0x10a0}));
}

TEST(FunctionExtents, LeaveOutWhatOverlapsOrIsNotLoaded) {
  EXPECT_THAT(extents_of({{0x11010, 0x30}, {0x11020, 0x10}, {0, 0x10}, {0x90000, 0x10}, {0x11100, ~u64{0}}}),
              ElementsAre(FunctionExtent{0x1010, 0x1040}));
}

TEST(FunctionExtents, NeedUnwindTables) {
  EXPECT_THAT(function_extents(*ElfFile::from_bytes(ElfImage().bytes(), "bare")), IsEmpty());
}

// "start-end name" for each symbol.
std::vector<std::string> symbols_of(const SymbolTable& table) {
  std::vector<std::string> result;
  for (u32 at = 0; at < table.size(); ++at) {
    const Symbol symbol = table.at(SymbolIndex(at));
    result.push_back(fmt::format("{:x}-{:x} {}", symbol.start, symbol.end, symbol.name));
  }
  return result;
}

TEST(UnnamedFunctions, FillTheGapsBetweenSymbols) {
  SymbolTableBuilder builder;
  builder.add({.start = 0x100, .end = 0x140, .name = "exported"});
  builder.add({.start = 0x200, .end = 0x210, .name = "other"});
  const FunctionExtent functions[] = {{0x80, 0xa0}, {0x100, 0x140}, {0x120, 0x130}, {0x140, 0x180}, {0x1f0, 0x208}};
  const SymbolTable table = SymbolTableBuilder::add_unnamed(builder.build(), "app", functions);
  EXPECT_THAT(symbols_of(table), ElementsAre("80-a0 app+0x80", "100-140 exported", "140-180 app+0x140",
                                             "1f0-200 app+0x1f0", "200-210 other"));
  EXPECT_TRUE(is_unnamed_function(table.at(SymbolIndex(0)).name, 0x80));
  EXPECT_FALSE(is_unnamed_function(table.at(SymbolIndex(1)).name, 0x100));
  EXPECT_EQ(table.find(0x17f)->name, "app+0x140");
  EXPECT_FALSE(table.find(0x180));
  EXPECT_EQ(table.find(0x120)->name, "exported");
}

TEST(UnnamedFunctions, AreAllThereIsInATableWithoutSymbols) {
  const FunctionExtent functions[] = {{0x1000, 0x1010}, {0x1010, 0x1030}};
  const SymbolTable table = SymbolTableBuilder::add_unnamed({}, "app", functions);
  EXPECT_THAT(symbols_of(table), ElementsAre("1000-1010 app+0x1000", "1010-1030 app+0x1010"));
}

TEST(UnnamedFunctions, LeaveOverlappingSymbolsAsTheyWere) {
  SymbolTableBuilder builder(NameStyle::Plain);
  builder.add({.start = 0x100, .end = 0x200, .name = "outer"});
  builder.add({.start = 0x120, .end = 0x180, .name = "middle"});
  builder.add({.start = 0x140, .end = 0x160, .name = "inner"});
  const SymbolTable plain = builder.build();
  const FunctionExtent functions[] = {{0x40, 0x60}, {0x210, 0x220}};
  const SymbolTable joined = SymbolTableBuilder::add_unnamed(builder.build(), "app", functions);
  for (u64 address = 0x100; address < 0x208; address += 8) {
    const auto before = plain.find(address), after = joined.find(address);
    ASSERT_EQ(before.has_value(), after.has_value()) << address;
    if (before) EXPECT_EQ(before->name, after->name) << address;
  }
  EXPECT_EQ(joined.find(0x50)->name, "app+0x40");
  EXPECT_EQ(joined.find(0x218)->name, "app+0x210");
}

}  // namespace
}  // namespace peregrine
