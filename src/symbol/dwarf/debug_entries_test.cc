// How a file's entries are located and read: each test writes the debug information of a small program and reads it.
#include "symbol/dwarf/debug_entries.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <tuple>
#include <utility>

#include "base/bytes.h"
#include "support/byte_buffer.h"
#include "support/debug_program.h"
#include "support/dwarf_writer.h"

namespace peregrine {
namespace {

using support::ByteBuffer;
using support::DwarfValue;
using support::DwarfWriter;
using support::entry_name;
using support::open_entries;
using support::outline;
using support::PointProgram;
using At = DwarfAttribute;

constexpr u64 kEntriesText = 0x11000;  // address of .text in ElfImage

TEST(DebugEntries, FormATreeInEveryVersionWidthAndByteOrder) {
  for (const u16 version : {2, 3, 4, 5}) {
    for (const auto& [order, address_size, dwarf_64] :
         {std::tuple(ByteOrder::Little, u8{8}, false), std::tuple(ByteOrder::Little, u8{4}, false),
          std::tuple(ByteOrder::Little, u8{8}, true), std::tuple(ByteOrder::Big, u8{8}, false),
          std::tuple(ByteOrder::Big, u8{4}, true)}) {
      SCOPED_TRACE(fmt::format("version {}, {}-byte addresses, 64-bit DWARF: {}", version, address_size, dwarf_64));
      const PointProgram program({order, version, address_size, dwarf_64});
      const auto information = open_entries(program.dwarf);
      ASSERT_NE(information, nullptr);
      ASSERT_EQ(information->unit_count(), 1u);
      const EntryUnit* unit = information->unit(0);
      ASSERT_NE(unit, nullptr);
      EXPECT_EQ(outline(unit->root()), "11(a.c 24(int) 13(point d(x) d(y)) 2e(main 34(p)))");
      EXPECT_FALSE(unit->root().parent());
      EXPECT_EQ(unit->at(program.point).offset(), program.point);
    }
  }
}

TEST(DebugEntries, AnswerByAttribute) {
  const PointProgram program;
  const auto information = open_entries(program.dwarf);
  const EntryUnit& unit = *information->unit(0);
  const DebugEntry point = unit.at(program.point);
  const DebugEntry y = point.children()[1];
  EXPECT_EQ(y.number(At::MemberLocation), 4u);
  EXPECT_EQ(y.type(), unit.at(program.number));
  EXPECT_EQ(y.type().name(), "int");
  EXPECT_EQ(y.type().number(At::ByteSize), 4u);
  const DebugEntry main = unit.root().children().back();
  EXPECT_TRUE(main.flag(At::External));
  EXPECT_EQ(main.number(At::External), 1u);
}

TEST(DebugEntries, HaveNoValueForAttributesTheyLack) {
  const PointProgram program;
  const auto information = open_entries(program.dwarf);
  const DebugEntry point = information->unit(0)->at(program.point);
  EXPECT_FALSE(point.has(At::Type));
  EXPECT_FALSE(point.type());
  EXPECT_FALSE(point.flag(At::External));
  EXPECT_EQ(point.number(At::MemberLocation), std::nullopt);
  EXPECT_EQ(point.number(At::Name), std::nullopt) << "text is not a number";
  EXPECT_EQ(point.text(At::ByteSize), "") << "a number is not text";
  EXPECT_EQ(point.linkage_name(), "");
  EXPECT_EQ(point.declaration_file(), "");
  EXPECT_EQ(point.declaration_line(), 0u);
  EXPECT_EQ(point.call_file(), "");
  EXPECT_EQ(point.call_line(), 0u);
  EXPECT_TRUE(point.ranges().empty());
  EXPECT_EQ(point.entry_address(), std::nullopt);
  EXPECT_EQ(point.expression(At::Location, 0), std::nullopt);
  EXPECT_TRUE(point.expression_ranges(At::Location).empty());
}

TEST(DebugEntries, AreFoundAtTheirFirstByteOnly) {
  const PointProgram program;
  const auto information = open_entries(program.dwarf);
  const EntryUnit& unit = *information->unit(0);
  EXPECT_EQ(unit.at(program.point).name(), "point");
  EXPECT_FALSE(unit.at(program.point + 1));
  EXPECT_FALSE(unit.at(0)) << "the header of the unit";
  EXPECT_FALSE(unit.at(program.dwarf.entries().size()));
  EXPECT_FALSE(unit.at(~u64{0}));
}

TEST(DebugEntries, InlinedInstancesTakeTheirNameFromTheDeclaration) {
  DwarfWriter dwarf;
  dwarf.begin_unit();
  dwarf.entry(DwarfTag::CompileUnit, {}, true);
  const u64 declared = dwarf.entry(DwarfTag::Subprogram, {entry_name("run"),
                                                          {At::LinkageName, DwarfForm::Text, 0, "_ZN1T3runEv"},
                                                          {At::DeclarationLine, DwarfForm::Data1, 7},
                                                          {At::Declaration, DwarfForm::FlagPresent}});
  const u64 abstract =
      dwarf.entry(DwarfTag::Subprogram, {dwarf.refer(At::Specification, declared), {At::Inline, DwarfForm::Data1, 3}});
  const u64 instance = dwarf.entry(DwarfTag::InlinedSubroutine,
                                   {dwarf.refer(At::AbstractOrigin, abstract), {At::CallLine, DwarfForm::Data1, 9}});
  dwarf.end_children();
  dwarf.end_unit();
  const auto information = open_entries(dwarf);
  const EntryUnit& unit = *information->unit(0);
  const DebugEntry inlined = unit.at(instance);
  EXPECT_EQ(inlined.name(), "run");
  EXPECT_EQ(inlined.linkage_name(), "_ZN1T3runEv");
  EXPECT_EQ(inlined.declaration_line(), 7u);
  EXPECT_EQ(inlined.call_line(), 9u);
  EXPECT_EQ(inlined.own(At::Name), std::nullopt);
  EXPECT_EQ(inlined.root(), unit.at(abstract)) << "the declaration is another entry's specification";
  EXPECT_EQ(unit.at(abstract).call_line(), 0u);
  EXPECT_EQ(unit.at(declared).root(), unit.at(declared));
}

TEST(DebugEntries, OldCompilersNameTheLinkageNameDifferently) {
  DwarfWriter dwarf({.version = 2});
  dwarf.begin_unit();
  dwarf.entry(DwarfTag::CompileUnit, {{At::MipsLinkageName, DwarfForm::Text, 0, "_Z1fv"}});
  dwarf.end_unit();
  EXPECT_EQ(open_entries(dwarf)->unit(0)->root().linkage_name(), "_Z1fv");
}

TEST(DebugEntries, ThatReferToEachOtherInACircleHaveNoName) {
  DwarfWriter dwarf;
  dwarf.begin_unit();
  dwarf.entry(DwarfTag::CompileUnit, {}, true);
  const u64 narcissus = dwarf.entry(DwarfTag::Subprogram, {dwarf.refer(At::AbstractOrigin, dwarf.next())});
  // Its reference takes five bytes including the entry's code, so the second one of the pair follows there.
  const u64 first = dwarf.entry(DwarfTag::Subprogram, {dwarf.refer(At::Specification, dwarf.next() + 5)});
  const u64 second = dwarf.entry(DwarfTag::Subprogram, {dwarf.refer(At::AbstractOrigin, first)});
  ASSERT_EQ(second, first + 5);
  dwarf.end_children();
  dwarf.end_unit();
  const auto information = open_entries(dwarf);
  const EntryUnit& unit = *information->unit(0);
  for (const u64 offset : {narcissus, first, second}) {
    EXPECT_EQ(unit.at(offset).name(), "");
    EXPECT_FALSE(unit.at(offset).has(At::Name));
    EXPECT_TRUE(unit.at(offset).root());
  }
}

TEST(DebugEntries, AreReferredToInEveryWidth) {
  DwarfWriter dwarf;
  dwarf.begin_unit();
  dwarf.entry(DwarfTag::CompileUnit, {}, true);
  const u64 type = dwarf.entry(DwarfTag::BaseType, {entry_name("int")});
  std::vector<u64> users;
  for (const DwarfForm form : {DwarfForm::Reference1, DwarfForm::Reference2, DwarfForm::Reference4,
                               DwarfForm::Reference8, DwarfForm::ReferenceUnsigned, DwarfForm::ReferenceAddress})
    users.push_back(dwarf.entry(DwarfTag::Variable, {dwarf.refer(At::Type, type, form)}));
  dwarf.end_children();
  dwarf.end_unit();
  const auto information = open_entries(dwarf);
  for (const u64 user : users) EXPECT_EQ(information->unit(0)->at(user).type().name(), "int");
}

TEST(DebugEntries, OfOtherUnitsAreReferredToByTheirOffsetInTheSection) {
  DwarfWriter dwarf;
  dwarf.begin_unit();
  dwarf.entry(DwarfTag::CompileUnit, {entry_name("a.c")}, true);
  const u64 type = dwarf.entry(DwarfTag::BaseType, {entry_name("int")});
  dwarf.end_children();
  dwarf.end_unit();
  dwarf.begin_unit();
  dwarf.entry(DwarfTag::CompileUnit, {entry_name("b.c")}, true);
  dwarf.entry(DwarfTag::Variable, {dwarf.refer(At::Type, type, DwarfForm::ReferenceAddress)});
  dwarf.entry(DwarfTag::Variable, {{At::Type, DwarfForm::ReferenceAddress, 1}});         // inside a header
  dwarf.entry(DwarfTag::Variable, {{At::Type, DwarfForm::ReferenceAddress, 0xffffff}});  // past the end of the section
  dwarf.entry(DwarfTag::Variable, {{At::Type, DwarfForm::Reference4, 0xfffffff0}});      // past the end of the unit
  dwarf.end_children();
  dwarf.end_unit();
  const auto information = open_entries(dwarf);
  const std::vector<DebugEntry> users = information->unit(1)->root().children();
  ASSERT_EQ(users.size(), 4u);
  EXPECT_EQ(users[0].type().name(), "int");
  EXPECT_EQ(&users[0].type().unit(), information->unit(0));
  for (std::size_t i = 1; i < users.size(); ++i) EXPECT_FALSE(users[i].type()) << i;
}

struct FunctionBounds {
  const char* what;
  std::vector<DwarfValue> values;
  std::vector<AddressRange> ranges;
  std::optional<u64> entry;
};

TEST(DebugEntries, CoverTheirCode) {
  using enum DwarfForm;
  const FunctionBounds cases[] = {
      {"a size", {{At::LowPc, Address, kEntriesText}, {At::HighPc, Data4, 0x20}}, {{0x11000, 0x11020}}, 0x11000},
      {"an end", {{At::LowPc, Address, kEntriesText}, {At::HighPc, Address, 0x11030}}, {{0x11000, 0x11030}}, 0x11000},
      {"no end", {{At::LowPc, Address, kEntriesText}}, {}, std::nullopt},
      {"no start", {{At::HighPc, Data4, 0x20}}, {}, std::nullopt},
      {"empty", {{At::LowPc, Address, kEntriesText}, {At::HighPc, Data1, 0}}, {}, std::nullopt},
      {"ends before it starts", {{At::LowPc, Address, 0x11010}, {At::HighPc, Address, 0x11008}}, {}, std::nullopt},
      {"code that the linker dropped", {{At::LowPc, Address, 0}, {At::HighPc, Data4, 0x20}}, {}, std::nullopt},
      {"the size wraps", {{At::LowPc, Address, kEntriesText}, {At::HighPc, Data8, ~u64{0}}}, {}, std::nullopt},
      {"an entry address",
       {{At::LowPc, Address, kEntriesText}, {At::HighPc, Data4, 0x20}, {At::EntryPc, Address, 0x11008}},
       {{0x11000, 0x11020}},
       0x11008},
      {"an entry offset, as DWARF 5 has it",
       {{At::LowPc, Address, kEntriesText}, {At::HighPc, Data4, 0x20}, {At::EntryPc, Data1, 4}},
       {{0x11000, 0x11020}},
       0x11004},
      {"two ranges", {{At::Ranges, SectionOffset, 0}}, {{0x11040, 0x11050}, {0x11010, 0x11020}}, 0x11040},
      {"ranges beyond the section", {{At::Ranges, SectionOffset, 0x1000}}, {}, std::nullopt},
  };
  for (const FunctionBounds& one : cases) {
    SCOPED_TRACE(one.what);
    DwarfWriter dwarf;
    dwarf.begin_unit();
    dwarf.entry(DwarfTag::CompileUnit, {}, true);
    dwarf.entry(DwarfTag::Subprogram, one.values);
    dwarf.end_children();
    dwarf.end_unit();
    ByteBuffer ranges;
    for (const u64 address : {0x11040, 0x11050, 0x11010, 0x11020, 0, 0}) ranges.put64(address);
    const auto information = open_entries(dwarf, {{".debug_ranges", ranges.bytes()}});
    const DebugEntry function = information->unit(0)->root().children()[0];
    const std::vector<AddressRange> found = function.ranges();
    ASSERT_EQ(found.size(), one.ranges.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      EXPECT_EQ(found[i].begin, one.ranges[i].begin);
      EXPECT_EQ(found[i].end, one.ranges[i].end);
      EXPECT_TRUE(function.covers(found[i].begin));
      EXPECT_TRUE(function.covers(found[i].end - 1));
      EXPECT_FALSE(function.covers(found[i].end));
    }
    EXPECT_EQ(function.entry_address(), one.entry);
  }
}

TEST(DebugEntries, NameTheFilesOfDeclarationsAndCalls) {
  DwarfWriter dwarf;
  dwarf.begin_unit();
  dwarf.entry(DwarfTag::CompileUnit,
              {{At::StatementList, DwarfForm::SectionOffset, 0}, {At::CompilationFolder, DwarfForm::Text, 0, "/src"}},
              true);
  dwarf.entry(DwarfTag::InlinedSubroutine, {{At::DeclarationFile, DwarfForm::Data1, 1},
                                            {At::CallFile, DwarfForm::Data1, 2},
                                            {At::CallLine, DwarfForm::Data2, 300}});
  dwarf.entry(DwarfTag::Variable, {{At::DeclarationFile, DwarfForm::Data1, 3}});
  dwarf.end_children();
  dwarf.end_unit();
  ByteBuffer tables;
  tables.ended_text("include", 1).zeros(1);
  tables.ended_text("a.c", 1).zeros(3);
  tables.ended_text("b.h", 1).put(1, 1).zeros(2);
  const auto information = open_entries(dwarf, {{".debug_line", dwarf.lines({}, tables.zeros(1), ByteBuffer())}});
  const std::vector<DebugEntry> entries = information->unit(0)->root().children();
  EXPECT_EQ(entries[0].declaration_file(), "/src/a.c");
  EXPECT_EQ(entries[0].call_file(), "/src/include/b.h");
  EXPECT_EQ(entries[0].call_line(), 300u);
  EXPECT_EQ(entries[1].declaration_file(), "") << "there is no file 3";
}

std::string text_of(const std::optional<std::vector<std::byte>>& bytes) {
  return bytes ? std::string(reinterpret_cast<const char*>(bytes->data()), bytes->size()) : "none";
}

TEST(DebugEntries, HaveOneExpressionForAllAddressesOrAListOfThem) {
  DwarfWriter dwarf;
  dwarf.begin_unit();
  dwarf.entry(DwarfTag::CompileUnit, {{At::LowPc, DwarfForm::Address, kEntriesText}}, true);
  dwarf.entry(DwarfTag::Variable, {{At::Location, DwarfForm::Expression, 0, "always"}});
  dwarf.entry(DwarfTag::Variable, {{At::Location, DwarfForm::Block1, 0, "old"}});
  dwarf.entry(DwarfTag::Variable, {{At::Location, DwarfForm::SectionOffset, 0}});
  dwarf.entry(DwarfTag::Variable, {{At::Location, DwarfForm::Data1, 0}});
  dwarf.end_children();
  dwarf.end_unit();
  ByteBuffer list;  // relative to the unit's lowest address
  list.put64(0x10).put64(0x20).put16(5).text("early");
  list.put64(~u64{0}).put64(0x11100);  // a different base
  list.put64(0).put64(8).put16(4).text("late");
  list.zeros(16);
  const auto information = open_entries(dwarf, {{".debug_loc", list.bytes()}});
  const std::vector<DebugEntry> variables = information->unit(0)->root().children();
  EXPECT_EQ(text_of(variables[0].expression(At::Location, 0)), "always");
  EXPECT_EQ(text_of(variables[1].expression(At::Location, ~u64{0})), "old");
  const std::pair<u64, std::string> places[] = {{0x1100f, "none"}, {0x11010, "early"}, {0x1101f, "early"},
                                                {0x11020, "none"}, {0x11107, "late"},  {0x11108, "none"}};
  for (const auto& [address, expression] : places)
    EXPECT_EQ(text_of(variables[2].expression(At::Location, address)), expression) << address;
  EXPECT_EQ(variables[3].expression(At::Location, kEntriesText), std::nullopt) << "a constant is no list";
  const auto whole = variables[0].expression_ranges(At::Location), parts = variables[2].expression_ranges(At::Location);
  ASSERT_EQ(whole.size(), 1u);
  EXPECT_EQ(whole[0].begin, 0u);
  EXPECT_EQ(whole[0].end, ~u64{0});
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts[1].begin, 0x11100u);
  EXPECT_EQ(parts[1].end, 0x11108u);
}

}  // namespace
}  // namespace peregrine
