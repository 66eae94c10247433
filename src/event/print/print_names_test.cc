#include "event/print/print_names.h"

#include <gtest/gtest.h>

#include <string_view>
#include <utility>

namespace peregrine {
namespace {

constexpr u64 kHighest = u64{1} << 63;

PrintNames symbol_table() { return {.words = {{0, "HI"}, {1, "TIMER"}, {9, "RCU"}, {9, "second of 9"}}}; }

PrintNames flag_table() {
  return {.flags = true, .delimiter = "|", .words = {{1, "S"}, {2, "D"}, {4, "T"}, {0x18, "both"}}};
}

TEST(PrintNames, ASymbolIsTheFirstWithThatValue) {
  const PrintNames table = symbol_table();
  EXPECT_EQ(table.text(0), "HI");
  EXPECT_EQ(table.text(1), "TIMER");
  EXPECT_EQ(table.text(9), "RCU");
}

TEST(PrintNames, AnUnnamedNumberIsHexadecimal) {
  EXPECT_EQ(symbol_table().text(2), "0x2");
  EXPECT_EQ(symbol_table().text(~u64{0}), "0xffffffffffffffff");
  EXPECT_EQ(PrintNames().text(16), "0x10");
  EXPECT_EQ(PrintNames::number_text(0), "0x0");
}

TEST(PrintNames, FlagsAreJoinedInTheOrderOfTheTable) {
  const PrintNames table = flag_table();
  struct Case {
    u64 value;
    std::string_view expected;
  };
  constexpr Case kCases[] = {
      {0, ""},
      {1, "S"},
      {6, "D|T"},
      {7, "S|D|T"},
      {0x18, "both"},
      {0x19, "S|both"},
      {0x10, "0x10"},    // a two-bit flag needs both bits
      {0x21, "S|0x20"},  // bits without a name follow
      {0x30, "0x30"},    // without a delimiter before the first
      {kHighest | 4, "T|0x8000000000000000"},
  };
  for (const auto& [value, expected] : kCases) EXPECT_EQ(table.text(value), expected) << value;
}

// A name consumes its bits: a later name for some of them does not match.
TEST(PrintNames, EachBitIsNamedOnce) {
  const PrintNames table{.flags = true, .delimiter = "|", .words = {{6, "pair"}, {2, "two"}, {4, "four"}}};
  EXPECT_EQ(table.text(6), "pair");
  EXPECT_EQ(table.text(2), "two");
  EXPECT_EQ(table.text(7), "pair|0x1");
}

// The format refers to a kernel constant without its value, as in { TASK_RUNNING, "R" }: it must be the name of 0.
TEST(PrintNames, AFlagWithoutAValueIsTheNameOfZero) {
  const PrintNames table{.flags = true, .delimiter = ",", .words = {{std::nullopt, "R"}, {1, "S"}}};
  EXPECT_EQ(table.text(0), "R");
  EXPECT_EQ(table.text(1), "S");
  EXPECT_EQ(table.text(2), "0x2");
  EXPECT_EQ(table.text(~u64{0}), "S,0xfffffffffffffffe");
  // After other names, it also follows the last bit, as in linux-perf.
  const PrintNames last{.flags = true, .delimiter = ",", .words = {{1, "S"}, {std::nullopt, "R"}}};
  EXPECT_EQ(last.text(1), "SR");
  EXPECT_EQ(last.text(3), "S,0x2");
}

TEST(PrintNames, AFlagOfZeroNeverMatches) {
  const PrintNames table{.flags = true, .delimiter = "|", .words = {{0, "none"}, {1, "S"}}};
  EXPECT_EQ(table.text(0), "");
  EXPECT_EQ(table.text(1), "S");
}

TEST(PrintNames, PiecesSayWhetherTheyAreWords) {
  std::vector<std::pair<std::string, bool>> pieces;
  flag_table().each(0x23, [&](std::string_view text, bool is_word) { pieces.emplace_back(text, is_word); });
  EXPECT_EQ(pieces, (std::vector<std::pair<std::string, bool>>{
                        {"S", true}, {"|", false}, {"D", true}, {"|", false}, {"0x20", false}}));
}

TEST(PrintNames, PutAppendsTheSameText) {
  for (const PrintNames& table : {symbol_table(), flag_table()})
    for (const u64 value : {u64{0}, u64{1}, u64{9}, u64{0x1f}, ~u64{0}}) {
      TextBuffer out;
      table.put(out, value);
      EXPECT_EQ(out.view(), table.text(value)) << value;
    }
}

}  // namespace
}  // namespace peregrine
