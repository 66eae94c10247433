#include "analysis/sharing/function_sharing.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <utility>

#include "machine/process/moment.h"
#include "symbol/table/symbol_table.h"

namespace peregrine {
namespace {

SharingRow row_at(u64 code, u64 stores, std::initializer_list<double> hitm_cycles, std::initializer_list<u32> cpus) {
  SharingRow row;
  row.code = code;
  row.counts.stores = stores;
  for (const double cycles : hitm_cycles) {
    ++row.counts.loads;
    ++row.counts.local_hitm;
    row.local_hitm.add(cycles);
  }
  for (const u32 cpu : cpus) row.cpus[cpu] = {};
  return row;
}

SharedLine line_at(u64 address, std::vector<SharingRow> rows) {
  SharedLine line;
  line.address = address;
  line.rows = std::move(rows);
  return line;
}

TEST(ContendedFunctions, HaveWritersAndTheLinesTheyShare) {
  const std::vector<SharedLine> lines{
      line_at(0x1000, {row_at(0xa, 0, {100, 300}, {0}), row_at(0xb, 5, {}, {1}), row_at(0xc, 1, {40}, {2})}),
      line_at(0x2000, {row_at(0xa, 0, {200}, {0}), row_at(0xb, 7, {}, {1})}),
      line_at(0x3000, {row_at(0xd, 0, {900}, {0})})};  // never written
  const auto functions = contended_functions(lines);
  ASSERT_EQ(functions.size(), 2u);
  EXPECT_EQ(functions[0].row->code, 0xau);
  EXPECT_DOUBLE_EQ(functions[0].cycles, 600);
  EXPECT_EQ(functions[0].stores, 13u);
  ASSERT_EQ(functions[0].writers.size(), 2u);
  const ContendingWriter& first = functions[0].writers[0];
  EXPECT_EQ(first.row->code, 0xbu);
  EXPECT_EQ(first.stores, 12u);
  ASSERT_EQ(first.lines.size(), 2u);
  EXPECT_EQ(first.lines[0].line->address, 0x2000u);
  EXPECT_EQ(first.lines[0].stores, 7u);
  EXPECT_EQ(functions[0].writers[1].row->code, 0xcu);
  // The third function reads a line that another one writes; it also writes that line, but only on one CPU.
  EXPECT_EQ(functions[1].row->code, 0xcu);
  ASSERT_EQ(functions[1].writers.size(), 1u);
  EXPECT_EQ(functions[1].writers[0].row->code, 0xbu);
}

TEST(ContendedFunctions, FightThemselvesOnSeveralCpus) {
  const std::vector<SharedLine> lines{line_at(0x1000, {row_at(0xa, 3, {10}, {0, 1})})};
  const auto functions = contended_functions(lines);
  ASSERT_EQ(functions.size(), 1u);
  ASSERT_EQ(functions[0].writers.size(), 1u);
  EXPECT_EQ(functions[0].writers[0].row, functions[0].row);
}

TEST(ContendedFunctions, AreToldApartBySymbol) {
  SharingRow load = row_at(0x100, 0, {10}, {0}), again = row_at(0x108, 0, {90}, {0});
  for (SharingRow* row : {&load, &again}) {
    row->frame.dso = DsoId{1};
    row->frame.symbol = SymbolIndex{4};
  }
  const std::vector<SharedLine> lines{line_at(0x1000, {load, again, row_at(0x200, 2, {}, {1})})};
  const auto functions = contended_functions(lines);
  ASSERT_EQ(functions.size(), 1u);
  EXPECT_DOUBLE_EQ(functions[0].cycles, 100);
  EXPECT_EQ(functions[0].row->code, 0x108u);  // the code with the longest waits
}

}  // namespace
}  // namespace peregrine
