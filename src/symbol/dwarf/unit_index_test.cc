// Which unit an address belongs to: by .debug_aranges, and by the first entries of units missing from it.
#include "symbol/dwarf/unit_index.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/types.h"
#include "support/byte_buffer.h"
#include "support/dwarf_writer.h"
#include "support/elf_image.h"
#include "symbol/dwarf/dwarf_constants.h"
#include "symbol/elf/elf_file.h"

namespace peregrine {
namespace {

using support::ByteBuffer;
using support::DwarfShape;
using support::DwarfWriter;
using At = DwarfAttribute;

// One set of .debug_aranges: the ranges of the unit at that offset, as pairs of start and size.
struct RangeSet {
  u64 unit = 0;
  std::vector<std::pair<u64, u64>> ranges;
  u16 version = 2;
  u8 address_size = 8, segment_size = 0;
};

std::vector<std::byte> address_ranges(const DwarfWriter& dwarf, const std::vector<RangeSet>& sets) {
  ByteBuffer out = dwarf.buffer();
  for (const RangeSet& set : sets) {
    ByteBuffer body = dwarf.buffer();
    body.put16(set.version).put(set.unit, dwarf.offset_size()).put(set.address_size, 1).put(set.segment_size, 1);
    const std::size_t pair = std::size_t{2} * set.address_size, before = dwarf.offset_size() == 8 ? 12 : 4;
    // The first pair is aligned to its size, relative to the start of the set.
    body.zeros((pair - (before + body.size()) % pair) % pair);
    for (const auto& [begin, size] : set.ranges) body.put(begin, set.address_size).put(size, set.address_size);
    out.append(dwarf.with_length(body.zeros(pair)));
  }
  return out.bytes();
}

// Units with 0x100 bytes of code each, from the start of .text.
DwarfWriter units_in_a_row(const DwarfShape& shape, u64 count, DwarfUnitType type = DwarfUnitType::Compile) {
  DwarfWriter dwarf(shape);
  for (u64 i = 0; i < count; ++i) {
    dwarf.begin_unit(type);
    dwarf.entry(DwarfTag::CompileUnit,
                {{At::LowPc, DwarfForm::Address, 0x11000 + i * 0x100}, {At::HighPc, DwarfForm::Data4, 0x100}});
    dwarf.end_unit();
  }
  return dwarf;
}

// "unit unit -" for these addresses.
std::string owners(const DwarfWriter& dwarf, std::vector<ImageSection> more, std::initializer_list<u64> addresses) {
  const DwarfFile file(*ElfFile::from_bytes(dwarf.image(std::move(more)).bytes(), "image"), DwarfFile::Sections::Plain);
  const RangeMap map = build_unit_index(file);
  std::string text;
  for (const u64 address : addresses) {
    const u32 owner = map.find(address);
    text += owner == RangeMap::kNobody ? "- " : fmt::format("{} ", owner);
  }
  return text;
}

TEST(UnitIndex, ReadsTheFirstEntriesOfUnits) {
  EXPECT_EQ(owners(units_in_a_row({}, 2), {}, {0x10fff, 0x11000, 0x110ff, 0x11100, 0x111ff, 0x11200}), "- 0 0 1 1 - ");
}

TEST(UnitIndex, HoldsManyUnits) {
  // Enough units for several threads; each has 16 bytes of the page.
  DwarfWriter dwarf;
  for (u64 i = 0; i < 256; ++i) {
    dwarf.begin_unit();
    dwarf.entry(DwarfTag::CompileUnit,
                {{At::LowPc, DwarfForm::Address, 0x11000 + i * 16}, {At::HighPc, DwarfForm::Data1, 16}});
    dwarf.end_unit();
  }
  const DwarfFile file(*ElfFile::from_bytes(dwarf.image().bytes(), "image"), DwarfFile::Sections::Plain);
  const RangeMap map = build_unit_index(file);
  for (u32 i = 0; i < 256; ++i) EXPECT_EQ(map.find(0x11000 + u64{i} * 16 + 15), i);
}

TEST(UnitIndex, BelievesAddressRangesBeforeFirstEntries) {
  for (const auto& [address_size, dwarf_64] :
       {std::pair(u8{8}, false), std::pair(u8{4}, false), std::pair(u8{8}, true), std::pair(u8{4}, true)}) {
    SCOPED_TRACE(fmt::format("{}-byte addresses, 64-bit DWARF: {}", address_size, dwarf_64));
    const DwarfWriter dwarf = units_in_a_row({ByteOrder::Big, 4, address_size, dwarf_64}, 2);
    const auto section = address_ranges(
        dwarf, {{.unit = 0, .ranges = {{0x11800, 0x10}, {0x11900, 0x10}}, .address_size = address_size}});
    EXPECT_EQ(owners(dwarf, {{".debug_aranges", section}}, {0x11000, 0x11800, 0x11810, 0x1190f, 0x11100}), "- 0 - 0 1 ")
        << "the second unit has no set, so its entry is read";
  }
}

TEST(UnitIndex, IgnoresSetsAndRangesThatMakeNoSense) {
  const DwarfWriter dwarf = units_in_a_row({}, 1);
  const RangeSet good{.unit = 0, .ranges = {{0x11800, 0x10}}};
  const auto changed = [&](auto change) {
    RangeSet set = good;
    change(set);
    return owners(dwarf, {{".debug_aranges", address_ranges(dwarf, {set})}}, {0x11000, 0x11800});
  };
  EXPECT_EQ(changed([](RangeSet&) {}), "- 0 ");
  const std::string by_entry = "0 - ";
  EXPECT_EQ(changed([](RangeSet& set) { set.version = 3; }), by_entry);
  EXPECT_EQ(changed([](RangeSet& set) { set.segment_size = 2; }), by_entry);
  EXPECT_EQ(changed([](RangeSet& set) { set.unit = 1; }), by_entry) << "no unit begins there";
  EXPECT_EQ(changed([](RangeSet& set) { set.ranges = {}; }), by_entry);
  EXPECT_EQ(changed([](RangeSet& set) { set.ranges = {{0x11800, 0}}; }), by_entry);
  EXPECT_EQ(changed([](RangeSet& set) { set.ranges = {{0x11800, ~u64{0}}}; }), by_entry) << "its end wraps";
  EXPECT_EQ(changed([](RangeSet& set) { set.ranges = {{0x99000, 0x10}}; }), by_entry) << "not code";
}

TEST(UnitIndex, ReadsOnAfterASetOfAnotherVersionButNotAfterDamage) {
  const DwarfWriter dwarf = units_in_a_row({}, 1);
  const RangeSet good{.unit = 0, .ranges = {{0x11800, 0x10}}}, other{.unit = 0, .ranges = {}, .version = 3};
  EXPECT_EQ(owners(dwarf, {{".debug_aranges", address_ranges(dwarf, {other, good})}}, {0x11000, 0x11800}), "- 0 ");
  auto damaged = address_ranges(dwarf, {other, good});
  damaged[2] = std::byte{1};  // the first set extends past the section
  EXPECT_EQ(owners(dwarf, {{".debug_aranges", damaged}}, {0x11000, 0x11800}), "0 - ");
}

TEST(UnitIndex, PassesOverUnitsWithoutCode) {
  for (const DwarfUnitType type : {DwarfUnitType::Type, DwarfUnitType::Partial})
    EXPECT_EQ(owners(units_in_a_row({.version = 5}, 1, type), {}, {0x11000}), "- ");
}

}  // namespace
}  // namespace peregrine
