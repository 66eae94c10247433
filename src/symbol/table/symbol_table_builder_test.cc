// How symbols become a table: sizes, duplicates, overlaps, and where the names are stored.
#include "symbol/table/symbol_table_builder.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace peregrine {
namespace {

NewSymbol function_symbol(u64 start, u64 end, std::string_view name, SymbolBinding binding = SymbolBinding::Global) {
  return {.start = start, .end = end, .name = name, .binding = binding, .type = SymbolType::Function};
}

// "start-end name" for each symbol, in hex.
std::string listing(const SymbolTable& table) {
  std::string text;
  for (u32 i = 0; i < table.size(); ++i) {
    const Symbol symbol = table.at(SymbolIndex(i));
    text += fmt::format("{}{:x}-{:x} {}", i == 0 ? "" : ", ", symbol.start, symbol.end, symbol.name);
  }
  return text;
}

SymbolTable built(const std::vector<NewSymbol>& symbols, bool settled = true, NameStyle style = NameStyle::Mangled) {
  SymbolTableBuilder builder(style);
  for (const NewSymbol& symbol : symbols) builder.add(symbol);
  if (settled) builder.settle();
  return builder.build();
}

TEST(SymbolSizes, ReachToTheNextSymbolOrTheEndOfTheFollowingPage) {
  EXPECT_EQ(listing(built({function_symbol(0x1010, 0x1010, "a"), function_symbol(0x1020, 0x1028, "b"),
                           function_symbol(0x1100, 0x1100, "last")})),
            "1010-1020 a, 1020-1028 b, 1100-3000 last");
  EXPECT_EQ(listing(built({function_symbol(0x1000, 0x1000, "aligned")})), "1000-2000 aligned")
      << "from the beginning of a page it is that page";
}

TEST(SymbolSizes, StayAsTheyAreWithoutSettling) {
  EXPECT_EQ(listing(built({function_symbol(0x1020, 0x1020, "b"), function_symbol(0x1010, 0x1010, "a")}, false)),
            "1010-1010 a, 1020-1020 b");
}

TEST(SymbolSizes, AreSettledOncePerSource) {
  // A symbol of the second source competes with one of the first that begins at the same address.
  SymbolTableBuilder builder;
  builder.add(function_symbol(0x1000, 0x1010, "weak_name", SymbolBinding::Weak));
  builder.add(function_symbol(0x1010, 0x1010, "open"));
  builder.settle();
  builder.add(function_symbol(0x1000, 0x1010, "name"));
  builder.add(function_symbol(0x1800, 0x1810, "more"));
  builder.settle();
  builder.add(function_symbol(0x1900, 0x1900, "kept"));
  EXPECT_EQ(builder.size(), 5u);
  EXPECT_EQ(listing(builder.build()), "1000-1010 name, 1010-3000 open, 1800-1810 more, 1900-1900 kept")
      << "the end that the first source gave stays";
}

TEST(SymbolSizes, OfNothingAreNothing) {
  SymbolTableBuilder builder;
  builder.settle();
  EXPECT_TRUE(builder.build().empty());
}

struct SymbolRivals {
  const char* what;
  NewSymbol winner, loser;
  bool order_counts = false;  // the first wins
  NameStyle style = NameStyle::Mangled;
};

TEST(SymbolChoice, PrefersTheSameSymbolInEitherOrder) {
  const auto sized = [](std::string_view name, SymbolBinding binding = SymbolBinding::Local, u64 end = 0x10) {
    return function_symbol(0, end, name, binding);
  };
  constexpr auto kLocal = SymbolBinding::Local, kWeak = SymbolBinding::Weak, kGlobal = SymbolBinding::Global;
  const SymbolRivals cases[] = {
      {"a size", sized("a", kWeak), sized("longer", kGlobal, 0)},
      {"not weak", sized("a", kLocal), sized("longer", kWeak)},
      {"global", sized("a", kGlobal), sized("longer", kLocal)},
      {"fewer underscores", sized("a"), sized("_longer")},
      {"only leading underscores count", sized("a__b"), sized("_abc")},
      {"the longer name", sized("longer"), sized("short")},
      {"the system call", sized("sys_read"), sized("SyS_read")},
      {"the longer name when shown", sized("_ZN3foo4quuxEv"), sized("_ZN1a1bEiiiiiiiiiiiii")},
      {"the longer raw name of the kernel", sized("_ZN1a1bEiiiiiiiiiiiii"), sized("_ZN3foo4quuxEv"), false,
       NameStyle::Plain},
      {"the first", sized("aaa"), sized("bbb"), true},
      {"the first of one name", sized("aaa"), sized("aaa"), true},
      {"the first of two constructors", sized("_ZN3fooC1Ev"), sized("_ZN3fooC2Ev"), true},
  };
  for (const SymbolRivals& one : cases) {
    SymbolChoice choice(one.style);
    EXPECT_TRUE(choice.prefers_first(one.winner, one.loser)) << one.what;
    EXPECT_EQ(choice.prefers_first(one.loser, one.winner), one.order_counts) << one.what;
  }
}

TEST(SymbolNames, AreCopiedOrStayInTheTextThatIsGiven) {
  using namespace std::string_view_literals;
  const std::string text("\0inside\0other\0"sv);
  SymbolTableBuilder builder(NameStyle::Plain);
  const std::string_view given = text;
  builder.add(function_symbol(0x10, 0x20, given.substr(1, 6)));
  builder.add(function_symbol(0x20, 0x30, builder.keep(std::string("kept") + "@plt")));
  builder.add(function_symbol(0x30, 0x40, given.substr(8, 5)));
  builder.add(function_symbol(0x40, 0x50, ""));
  const SymbolTable table = builder.build(SymbolTableBuilder::kTextLimit, text, NameText(text));
  EXPECT_EQ(listing(table), "10-20 inside, 20-30 kept@plt, 30-40 other, 40-50 ");
  ASSERT_EQ(table.find_name("kept@plt").size(), 1u);
  EXPECT_EQ(table.find_name("other")[0].start, 0x30u);
  EXPECT_TRUE(table.find_name("absent").empty());
}

TEST(SymbolTableFields, KeepBindingAndType) {
  SymbolTableBuilder builder(NameStyle::Plain);
  u64 start = 0;
  for (const SymbolBinding binding : {SymbolBinding::Local, SymbolBinding::Global, SymbolBinding::Weak}) {
    for (const SymbolType type : {SymbolType::None, SymbolType::Object, SymbolType::Function, SymbolType::Ifunc}) {
      builder.add({.start = start, .end = start + 1, .name = "x", .binding = binding, .type = type});
      ++start;
    }
  }
  const SymbolTable table = builder.build();
  for (u32 i = 0; i < 12; ++i) {
    const Symbol symbol = table.at(SymbolIndex(i));
    EXPECT_EQ(static_cast<u32>(symbol.binding), i / 4);
    EXPECT_EQ(static_cast<u32>(symbol.type), i % 4);
    EXPECT_EQ(symbol.index.value, i);
  }
  EXPECT_EQ(table.find_name("x").size(), 12u);
}

TEST(SymbolTableFields, ReachBothEndsOfTheAddressSpace) {
  const SymbolTable table =
      built({function_symbol(0, 1, "first"), function_symbol(~u64{0} - 1, ~u64{0}, "last")}, false);
  EXPECT_EQ(table.find(0)->name, "first");
  EXPECT_FALSE(table.find(1));
  EXPECT_EQ(table.find(~u64{0} - 1)->name, "last");
  EXPECT_FALSE(table.find(~u64{0}));
}

TEST(LaterSymbols, ReplaceWhatTheyOverlap) {
  // Like code that a runtime recompiles over old code: each address belongs to the latest symbol that covers it.
  std::mt19937 random(9);
  for (int round = 0; round < 100; ++round) {
    SymbolTableBuilder builder(NameStyle::Plain);
    builder.prefer_last();
    std::vector<std::string> expected(64);
    for (int i = 0; i < 12; ++i) {
      const u64 start = random() % 50, end = start + random() % 14;
      const std::string_view name = builder.keep(fmt::format("f{}", i));
      builder.add(function_symbol(start, end, name));
      for (u64 address = start; address < std::max(end, start + 1); ++address) expected[address] = name;
    }
    const SymbolTable table = builder.build();
    for (u64 address = 0; address < expected.size(); ++address) {
      const auto found = table.find(address);
      ASSERT_EQ(found ? found->name : "", expected[address]) << "round " << round << ", address " << address;
    }
  }
}

}  // namespace
}  // namespace peregrine
