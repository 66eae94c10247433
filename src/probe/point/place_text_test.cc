#include "probe/point/place_text.h"

#include <gtest/gtest.h>

#include "symbol/table/symbol_table_builder.h"

namespace peregrine {
namespace {

TEST(PlaceText, NamesTheFunctionAndTheBytesFromItsEntry) {
  SymbolTableBuilder builder(NameStyle::Plain);
  builder.add({.start = 0x100, .end = 0x140, .name = "malloc"});
  builder.add({.start = 0x180, .end = 0x190, .name = "free"});
  const SymbolTable symbols = builder.build();
  EXPECT_EQ(place_text(symbols, 0x100, false), "malloc");
  EXPECT_EQ(place_text(symbols, 0x100, true), "malloc%return");
  EXPECT_EQ(place_text(symbols, 0x104, false), "malloc+4");
  EXPECT_EQ(place_text(symbols, 0x13f, false), "malloc+63");
  EXPECT_EQ(place_text(symbols, 0x18a, false), "free+10");
}

TEST(PlaceText, IsEmptyOutsideOfFunctions) {
  SymbolTableBuilder builder(NameStyle::Plain);
  builder.add({.start = 0x100, .end = 0x140, .name = "malloc"});
  const SymbolTable symbols = builder.build();
  EXPECT_EQ(place_text(symbols, 0xff, false), "");
  EXPECT_EQ(place_text(symbols, 0x140, false), "");
  EXPECT_EQ(place_text(SymbolTable(), 0x100, false), "");
}

}  // namespace
}  // namespace peregrine
