// Unit headers, the first entry of a unit, and the data that its values refer to: text, addresses, range and location
// lists.
#include "symbol/dwarf/dwarf_unit.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <initializer_list>
#include <string>

#include "support/byte_buffer.h"
#include "support/dwarf_writer.h"
#include "support/elf_image.h"
#include "support/open_unit.h"
#include "symbol/elf/elf_file.h"

namespace peregrine {
namespace {

using support::ByteBuffer;
using support::DwarfWriter;
using support::one_entry;
using support::OpenUnit;
using support::put_uleb;
using At = DwarfAttribute;

TEST(UnitHeaders, AreReadInEveryVersionAndWidth) {
  for (const u16 version : {2, 3, 4, 5}) {
    for (const bool dwarf_64 : {false, true}) {
      const DwarfWriter dwarf = one_entry({ByteOrder::Little, version, 8, dwarf_64}, {});
      const OpenUnit unit(dwarf);
      const UnitHeader& header = unit->header();
      EXPECT_EQ(header.format, (UnitFormat{version, 8, static_cast<u8>(dwarf_64 ? 8 : 4)}));
      EXPECT_EQ(header.offset, 0u);
      EXPECT_EQ(header.end, dwarf.entries().size());
      EXPECT_EQ(header.entries, header.end - 1) << "the only entry is its abbreviation code";
      EXPECT_EQ(header.type, DwarfUnitType::Compile);
    }
  }
}

TEST(UnitHeaders, OfDwarf5HaveATypeAndSkeletonsAnId) {
  DwarfWriter dwarf({.version = 5});
  for (const DwarfUnitType type : {DwarfUnitType::Skeleton, DwarfUnitType::Type, DwarfUnitType::SplitCompile}) {
    dwarf.begin_unit(type, 0x123456789abcdef0);
    dwarf.entry(DwarfTag::CompileUnit, {});
    dwarf.end_unit();
  }
  const OpenUnit unit(dwarf);
  const std::vector<UnitHeader>& units = unit.file().units();
  ASSERT_EQ(units.size(), 3u);
  EXPECT_EQ(units[0].type, DwarfUnitType::Skeleton);
  EXPECT_EQ(units[0].dwo_id, 0x123456789abcdef0u);
  EXPECT_EQ(units[1].type, DwarfUnitType::Type);
  EXPECT_EQ(units[1].dwo_id, 0u) << "its signature is no id of a split unit";
  EXPECT_EQ(units[2].dwo_id, 0x123456789abcdef0u);
  EXPECT_EQ(unit.root().dwo_id, 0x123456789abcdef0u);
}

TEST(UnitHeaders, OfUnknownVersionsAndAddressSizesArePassedOver) {
  DwarfWriter dwarf({.version = 4});
  for (int i = 0; i < 5; ++i) {
    dwarf.begin_unit();
    dwarf.entry(DwarfTag::CompileUnit, {});
    dwarf.end_unit();
  }
  ElfImage image = dwarf.image();
  std::vector<std::byte>& info = image.extra[0].contents;
  const std::size_t size = info.size() / 5;
  info[4] = std::byte{1};              // version 1
  info[size + 4] = std::byte{6};       // version 6
  info[2 * size + 10] = std::byte{2};  // two-byte addresses
  const DwarfFile file(*ElfFile::from_bytes(image.bytes(), "image"), DwarfFile::Sections::Plain);
  ASSERT_EQ(file.units().size(), 2u);
  EXPECT_EQ(file.units()[0].offset, 3 * size);
  EXPECT_EQ(file.unit_at(size + 11), nullptr) << "inside a unit that is not known";
}

TEST(UnitHeaders, CoverTheirEntriesButNotThemselves) {
  const DwarfWriter dwarf = one_entry({}, {{At::Language, DwarfForm::Data8, 0}});
  const OpenUnit unit(dwarf);
  const UnitHeader* header = &unit.file().units()[0];
  EXPECT_EQ(unit.file().unit_at(0), nullptr);
  EXPECT_EQ(unit.file().unit_at(header->entries - 1), nullptr);
  EXPECT_EQ(unit.file().unit_at(header->entries), header);
  EXPECT_EQ(unit.file().unit_at(header->end - 1), header);
  EXPECT_EQ(unit.file().unit_at(header->end), nullptr);
}

TEST(UnitHeaders, MustLieInsideTheSection) {
  const auto error_of = [](const std::vector<std::byte>& info, u64 offset = 0) {
    ElfImage image;
    image.extra = {{".debug_info", info}};
    const DwarfFile file(*ElfFile::from_bytes(image.bytes(), "image"), DwarfFile::Sections::Plain);
    EXPECT_TRUE(offset != 0 || file.units().empty());
    const auto header = read_unit_header(file, offset);
    return header ? std::string() : header.error().message;
  };
  const std::vector<std::byte> good = one_entry({}, {}).entries();
  EXPECT_EQ(error_of(good, good.size()),
            fmt::format("image: unit at {:#x} extends past the end of .debug_info", good.size()));
  std::vector<std::byte> cut = good;
  cut.pop_back();
  EXPECT_EQ(error_of(cut), "image: unit at 0x0 extends past the end of .debug_info");
  EXPECT_EQ(error_of({std::byte{1}, std::byte{0}}), "image: unit at 0x0 extends past the end of .debug_info");
  ByteBuffer wide;
  wide.put32(0xffffffff).put64(~u64{0}).zeros(40);
  EXPECT_EQ(error_of(wide.bytes()), "image: unit at 0x0 extends past the end of .debug_info");
  ByteBuffer small;
  small.put32(3).put16(4).zeros(40);
  EXPECT_EQ(error_of(small.bytes()), "image: truncated unit header at 0x0 of .debug_info");
}

TEST(UnitRoots, TellTheBoundsAndTablesOfTheUnit) {
  const OpenUnit unit(one_entry({}, {{At::LowPc, DwarfForm::Address, 0x11000},
                                     {At::HighPc, DwarfForm::Data4, 0x20},
                                     {At::StatementList, DwarfForm::SectionOffset, 0x42},
                                     {At::CompilationFolder, DwarfForm::Text, 0, "/src"}}));
  const UnitRoot& root = unit.root();
  EXPECT_EQ(root.tag, DwarfTag::CompileUnit);
  EXPECT_EQ(root.low_pc, 0x11000u);
  EXPECT_EQ(root.high_pc->number, 0x20u);
  EXPECT_EQ(root.lines, 0x42u);
  EXPECT_EQ(root.compilation_folder, "/src");
  EXPECT_FALSE(root.is_skeleton());
  std::vector<AddressRange> ranges;
  unit->add_ranges(root.low_pc, root.high_pc, root.ranges, ranges);
  ASSERT_EQ(ranges.size(), 1u);
  EXPECT_EQ(ranges[0].end, 0x11020u);
}

TEST(UnitRoots, NameTheSplitUnitOfBothVersions) {
  const OpenUnit gnu(
      one_entry({}, {{At::GnuDwoName, DwarfForm::Text, 0, "a.dwo"}, {At::GnuDwoId, DwarfForm::Data8, 7}}));
  EXPECT_TRUE(gnu.root().is_skeleton());
  EXPECT_EQ(gnu.root().dwo_name, "a.dwo");
  EXPECT_EQ(gnu.root().dwo_id, 7u);
  DwarfWriter dwarf({.version = 5});
  dwarf.begin_unit(DwarfUnitType::Skeleton, 9);
  dwarf.entry(DwarfTag::SkeletonUnit, {{At::DwoName, DwarfForm::Text, 0, "b.dwo"}});
  dwarf.end_unit();
  const OpenUnit standard(dwarf);
  EXPECT_EQ(standard.root().dwo_name, "b.dwo");
  EXPECT_EQ(standard.root().dwo_id, 9u) << "that of the header";
}

TEST(UnitRoots, MayBeLong) {
  const std::string producer(5000, 'x');
  const OpenUnit unit(
      one_entry({}, {{At::Producer, DwarfForm::Text, 0, producer}, {At::LowPc, DwarfForm::Address, 0x11000}}));
  EXPECT_EQ(unit.root().low_pc, 0x11000u);
}

TEST(UnitRoots, AreNotReadFromDamagedUnits) {
  const DwarfWriter dwarf = one_entry({}, {{At::LowPc, DwarfForm::Address, 0x11000}});
  const auto opens = [&](auto change) {
    ElfImage image = dwarf.image();
    change(image.extra[0].contents, image.extra[1].contents);
    const DwarfFile file(*ElfFile::from_bytes(image.bytes(), "image"), DwarfFile::Sections::Plain);
    bool all = true;
    for (const bool only_root : {false, true}) {
      DwarfUnit unit(file, file.units().at(0));
      UnitRoot root;
      const bool opened = unit.open(root, only_root);
      EXPECT_EQ(opened && unit.abbreviations() != nullptr, opened && !only_root);
      all = all && opened;
    }
    return all;
  };
  using Contents = std::vector<std::byte>;
  EXPECT_TRUE(opens([](Contents&, Contents&) {}));
  EXPECT_FALSE(opens([](Contents& info, Contents&) { info[11] = std::byte{0}; })) << "no entry";
  EXPECT_FALSE(opens([](Contents& info, Contents&) { info[11] = std::byte{9}; })) << "no such abbreviation";
  EXPECT_FALSE(opens([](Contents& info, Contents&) { info[6] = std::byte{0x7f}; })) << "no such table";
  EXPECT_FALSE(opens([](Contents& info, Contents&) {
    info[0] = std::byte{10};  // the unit ends within its address
    info.resize(14);
  }));
}

std::vector<std::byte> text_section(std::string_view text) { return ByteBuffer().text(text).bytes(); }

TEST(UnitText, IsFoundInTheSectionOfItsForm) {
  ByteBuffer offsets;
  offsets.put32(16).put16(5).put16(0).put32(6).put32(0).put32(99);
  const DwarfWriter dwarf = one_entry({.version = 5}, {{At::TextOffsetsBase, DwarfForm::SectionOffset, 8}});
  using namespace std::string_view_literals;
  const OpenUnit unit(dwarf, {{".debug_str", text_section("hello\0world\0cut"sv)},
                              {".debug_line_str", text_section("/src\0a.c\0"sv)},
                              {".debug_str_offsets", offsets.bytes()}});
  const auto text = [&](DwarfForm form, u64 number) { return unit->text({form, number}, nullptr); };
  EXPECT_EQ(text(DwarfForm::TextOffset, 6), "world");
  EXPECT_EQ(text(DwarfForm::TextOffset, 8), "rld") << "offsets may point into a string";
  EXPECT_EQ(text(DwarfForm::TextOffset, 12), "") << "no NUL ends it";
  EXPECT_EQ(text(DwarfForm::TextOffset, ~u64{0}), "");
  EXPECT_EQ(text(DwarfForm::LineTextOffset, 5), "a.c");
  EXPECT_EQ(text(DwarfForm::TextIndex, 0), "world");
  EXPECT_EQ(text(DwarfForm::TextIndex1, 1), "hello");
  EXPECT_EQ(text(DwarfForm::TextIndex2, 2), "") << "its offset is beyond .debug_str";
  EXPECT_EQ(text(DwarfForm::TextIndex4, 3), "") << "there are three";
  EXPECT_EQ(text(DwarfForm::GnuTextIndex, ~u64{0} / 4), "");
  EXPECT_EQ(text(DwarfForm::GnuTextAlternative, 0), "") << "there is no supplement";
  EXPECT_EQ(text(DwarfForm::Data4, 0), "");
  const DwarfFile supplement(
      *ElfFile::from_bytes(dwarf.image({{".debug_str", text_section("shared\0"sv)}}).bytes(), "supplement"),
      DwarfFile::Sections::Plain);
  EXPECT_EQ(unit->text({DwarfForm::GnuTextAlternative, 0}, &supplement), "shared");
  EXPECT_EQ(unit->text({DwarfForm::TextSupplement, 2}, &supplement), "ared");
}

TEST(UnitReferences, AreRelativeToTheUnitExceptForOne) {
  DwarfWriter dwarf = one_entry({}, {});
  const OpenUnit unit(dwarf);
  EXPECT_EQ(unit->reference({DwarfForm::Reference4, 11}), 11u);
  EXPECT_EQ(unit->reference({DwarfForm::ReferenceAddress, 0x1000}), 0x1000u);
  EXPECT_EQ(unit->reference({DwarfForm::Reference8, ~u64{0}}), std::nullopt) << "beyond the unit";
  EXPECT_EQ(unit->reference({DwarfForm::ReferenceSignature, 1}), std::nullopt) << "type units have no code";
  EXPECT_EQ(unit->reference({DwarfForm::Data4, 11}), std::nullopt);
}

// A DWARF 5 unit with the addresses 0x11000, 0x11100 and 0x11200, and lists after a 12-byte header. Its lowest address
// is the first one, given by an index that precedes the base of the addresses.
OpenUnit unit_with_lists(const ByteBuffer& ranges, const ByteBuffer& locations) {
  ByteBuffer addresses;
  addresses.put32(28).put16(5).put(8, 1).put(0, 1).put64(0x11000).put64(0x11100).put64(0x11200);
  const auto with_header = [](const ByteBuffer& lists, u64 first_list) {
    return ByteBuffer().put32(0).put16(5).put(8, 1).put(0, 1).put32(1).put32(first_list).append(lists.bytes()).bytes();
  };
  return OpenUnit(one_entry({.version = 5}, {{At::LowPc, DwarfForm::AddressIndex, 0},
                                             {At::AddressBase, DwarfForm::SectionOffset, 8},
                                             {At::RangeListsBase, DwarfForm::SectionOffset, 12},
                                             {At::LocationListsBase, DwarfForm::SectionOffset, 12}}),
                  {{".debug_addr", addresses.bytes()},
                   {".debug_rnglists", with_header(ranges, 4)},
                   {".debug_loclists", with_header(locations, 4)}});
}

std::string ranges_of(const DwarfUnit& unit, const FormValue& value) {
  std::vector<AddressRange> ranges;
  unit.add_ranges(std::nullopt, std::nullopt, value, ranges);
  std::string text;
  for (const AddressRange& range : ranges) text += fmt::format("{:x}-{:x} ", range.begin, range.end);
  return text;
}

TEST(RangeLists, OfDwarf5HaveEntriesOfEveryKind) {
  ByteBuffer list;
  const auto numbers = [&](std::initializer_list<u64> values) {
    for (const u64 value : values) put_uleb(list, value);
  };
  numbers({4, 0x10, 0x20});       // offsets from the lowest address of the unit
  numbers({1, 1, 4, 0, 8});       // base: address 1
  numbers({2, 1, 2});             // from address 1 to address 2
  numbers({3, 2, 0x30});          // address 2 and a length
  list.put(5, 1).put64(0x11300);  // base: an address
  numbers({4, 0x200, 0x204});
  list.put(6, 1).put64(0x11600).put64(0x11640);
  list.put(7, 1).put64(0x11700);
  numbers({0x80});
  numbers({4, 8, 8});             // empty
  list.put(7, 1).put64(0x99000);  // code of another file
  numbers({4});
  numbers({0, 4, 1, 2});  // the end, followed by bytes outside the list
  const OpenUnit unit = unit_with_lists(list, ByteBuffer());
  const std::string expected = "11010-11020 11100-11108 11100-11200 11200-11230 11500-11504 11600-11640 11700-11780 ";
  EXPECT_EQ(ranges_of(*unit, {DwarfForm::RangeListIndex, 0}), expected);
  EXPECT_EQ(ranges_of(*unit, {DwarfForm::SectionOffset, 16}), expected);
  EXPECT_EQ(ranges_of(*unit, {DwarfForm::RangeListIndex, 1000}), "");
  EXPECT_EQ(ranges_of(*unit, {DwarfForm::SectionOffset, 100000}), "");
}

TEST(RangeLists, EndAtAnUnknownKindOrTheEndOfTheSection) {
  for (const std::initializer_list<u64> rest : {std::initializer_list<u64>{8, 1, 2, 4, 0, 1}, {}, {4, 0x10}, {4}}) {
    ByteBuffer list;
    put_uleb(list.put(3, 1).put(1, 1), 0x10);
    for (const u64 value : rest) put_uleb(list, value);
    EXPECT_EQ(ranges_of(*unit_with_lists(list, ByteBuffer()), {DwarfForm::RangeListIndex, 0}), "11100-11110 ");
  }
}

TEST(RangeLists, AreReadWholeHoweverLongTheyAre) {
  constexpr u64 kCount = 1000;
  std::string expected;
  ByteBuffer list, old;
  for (u64 i = 0; i < kCount; ++i) {
    put_uleb(list.put(7, 1).put64(0x11000 + 2 * i), 1);
    old.put64(2 * i).put64(2 * i + 1);
    expected += fmt::format("{:x}-{:x} ", 0x11000 + 2 * i, 0x11001 + 2 * i);
  }
  const OpenUnit unit = unit_with_lists(list.zeros(1), ByteBuffer());
  EXPECT_EQ(ranges_of(*unit, {DwarfForm::RangeListIndex, 0}), expected);
  const OpenUnit before(one_entry({}, {{At::LowPc, DwarfForm::Address, 0x11000}}),
                        {{".debug_ranges", old.zeros(16).bytes()}});
  EXPECT_EQ(ranges_of(*before, {DwarfForm::SectionOffset, 0}), expected);
}

// 2,000 entries that refer to the same list of 65,000 ranges would take 3 GB.
TEST(RangeLists, AreNotMultipliedByTheEntriesThatShareThem) {
  constexpr u64 kCount = 1000, kEntries = 1000;
  ByteBuffer list;
  for (u64 i = 0; i < kCount; ++i) {
    put_uleb(list.put(4, 1), 2 * i);
    put_uleb(list, 2 * i + 1);
  }
  const OpenUnit unit = unit_with_lists(list.zeros(1), ByteBuffer());
  std::size_t kept = 0;
  for (u64 entry = 0; entry < kEntries; ++entry) {
    std::vector<AddressRange> ranges;
    unit->add_ranges(std::nullopt, std::nullopt, FormValue{DwarfForm::RangeListIndex, 0}, ranges);
    if (entry < 4) EXPECT_EQ(ranges.size(), kCount) << "a unit may be read several times";
    kept += ranges.size();
  }
  EXPECT_LT(kept, 20 * kCount);
}

TEST(RangeLists, BeforeDwarf5ArePairsAndBases) {
  for (const u8 address_size : {u8{4}, u8{8}}) {
    ByteBuffer list(support::Endian::Big);
    const auto pair = [&](u64 begin, u64 end) { list.put(begin, address_size).put(end, address_size); };
    pair(0x10, 0x20);
    pair(~u64{0}, 0x11200);  // the highest address: the base changes
    pair(0, 8);
    pair(5, 5);
    pair(0, 0);
    pair(0x30, 0x40);
    const OpenUnit unit(one_entry({ByteOrder::Big, 4, address_size, false}, {{At::LowPc, DwarfForm::Address, 0x11000}}),
                        {{".debug_ranges", list.bytes()}});
    EXPECT_EQ(ranges_of(*unit, {DwarfForm::SectionOffset, 0}), "11010-11020 11200-11208 ");
    EXPECT_EQ(ranges_of(*unit, {DwarfForm::Data4, 5u * 2 * address_size}), "11030-11040 ") << "DWARF 3 has data4";
  }
}

std::string locations_of(const DwarfUnit& unit, const FormValue& value) {
  std::vector<std::byte> buffer;
  std::string text;
  for (const LocationEntry& entry : unit.locations(value, buffer))
    text +=
        fmt::format("{:x}-{:x} {} ", entry.range.begin, entry.range.end,
                    std::string_view(reinterpret_cast<const char*>(entry.expression.data()), entry.expression.size()));
  return text;
}

TEST(LocationLists, OfDwarf5HaveEntriesOfEveryKind) {
  ByteBuffer list;
  const auto numbers = [&](std::initializer_list<u64> values) {
    for (const u64 value : values) put_uleb(list, value);
  };
  const auto expression = [&](std::string_view bytes) {
    put_uleb(list, bytes.size());
    list.text(bytes);
  };
  numbers({4, 0x10, 0x20});
  expression("pair");
  numbers({1, 1, 4, 0, 8});
  expression("base");
  numbers({9, 1, 2});  // GNU's view numbers, which are unrelated to addresses
  numbers({2, 1, 2});
  expression("indices");
  numbers({3, 2, 0x30});
  expression("");
  list.put(6, 1).put64(0x11300);
  numbers({4, 0, 4});
  expression("far");
  list.put(7, 1).put64(0x11600).put64(0x11640);
  expression("ends");
  list.put(8, 1).put64(0x11700);
  numbers({0x80});
  expression("long");
  numbers({5});
  expression("default");
  numbers({0, 5});
  const OpenUnit unit = unit_with_lists(ByteBuffer(), list);
  const std::string expected =
      "11010-11020 pair 11100-11108 base 11100-11200 indices 11200-11230  11300-11304 far 11600-11640 ends "
      "11700-11780 long 0-ffffffffffffffff default ";
  EXPECT_EQ(locations_of(*unit, {DwarfForm::LocationListIndex, 0}), expected);
  EXPECT_EQ(locations_of(*unit, {DwarfForm::SectionOffset, 16}), expected);
  EXPECT_EQ(locations_of(*unit, {DwarfForm::LocationListIndex, 1000}), "");
  EXPECT_EQ(locations_of(*unit, {DwarfForm::SectionOffset, 100000}), "");
}

TEST(LocationLists, AreReadWholeHoweverLongTheyAre) {
  ByteBuffer list;
  for (u64 i = 0; i < 1000; ++i) list.put64(i).put64(i + 1).put16(1).text("x");
  const OpenUnit unit(one_entry({}, {}), {{".debug_loc", list.zeros(16).bytes()}});
  std::vector<std::byte> buffer;
  const auto found = unit->locations({DwarfForm::SectionOffset, 0}, buffer);
  ASSERT_EQ(found.size(), 1000u);
  EXPECT_EQ(found.back().range.begin, 999u);
}

TEST(LocationLists, HaveNoExpressionThatIsCutOff) {
  ByteBuffer list;
  list.put64(1).put64(2).put16(1).text("x");
  list.put64(2).put64(3).put16(100).text("y");
  const OpenUnit unit(one_entry({}, {}), {{".debug_loc", list.bytes()}});
  EXPECT_EQ(locations_of(*unit, {DwarfForm::SectionOffset, 0}), "1-2 x ");
}

}  // namespace
}  // namespace peregrine
