// Types of a small program, with debug information written by the test.
#include "probe/type/dwarf_types.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/types.h"
#include "support/dwarf_writer.h"
#include "symbol/dwarf/debug_entries.h"
#include "symbol/dwarf/dwarf_constants.h"
#include "symbol/elf/elf_file.h"

namespace peregrine {
namespace {

using support::DwarfShape;
using support::DwarfValue;
using support::DwarfWriter;
using At = DwarfAttribute;
using enum DwarfForm;

// DW_ATE_*.
constexpr u64 kAteBoolean = 2, kAteFloat = 4, kAteSigned = 5, kAteSignedChar = 6, kAteUnsigned = 7,
              kAteUnsignedChar = 8;

// Writes entries, then opens them; types are identified by the offsets of their entries.
class WrittenTypes {
 public:
  explicit WrittenTypes(DwarfShape shape = {}) : dwarf(shape) {
    dwarf.begin_unit();
    dwarf.entry(DwarfTag::CompileUnit, {name("a.c")}, true);
    number = base("int", 4, kAteSigned);
    letter = base("char", 1, kAteSignedChar);
  }
  static DwarfValue name(std::string text) { return {At::Name, Text, 0, std::move(text)}; }
  u64 base(const char* type, u64 size, u64 encoding) {
    return dwarf.entry(DwarfTag::BaseType, {name(type), {At::ByteSize, Data1, size}, {At::Encoding, Data1, encoding}});
  }
  // An entry that refers to `type` (0: to none).
  u64 of(DwarfTag tag, u64 type, std::vector<DwarfValue> more = {}) {
    if (type != 0) more.push_back(dwarf.refer(At::Type, type));
    return dwarf.entry(tag, more);
  }
  // An array with these numbers of elements, outermost first.
  u64 array(u64 type, const std::vector<DwarfValue>& bounds) {
    const u64 made = dwarf.entry(DwarfTag::ArrayType, {dwarf.refer(At::Type, type)}, true);
    for (const DwarfValue& bound : bounds) dwarf.entry(DwarfTag::SubrangeType, {bound});
    dwarf.end_children();
    return made;
  }
  void begin_struct(DwarfTag tag, const char* type, u64 size) {
    last_struct = dwarf.entry(tag, {name(type), {At::ByteSize, Data1, size}}, true);
  }

  void open() {
    dwarf.end_children();
    dwarf.end_unit();
    auto file = ElfFile::from_bytes(dwarf.image().bytes(), "image");
    ASSERT_TRUE(file);
    auto opened = DebugInformation::open(std::move(*file));
    ASSERT_TRUE(opened) << opened.error().message;
    information = std::move(*opened);
    types.emplace(*information->unit(0));
  }
  TypeRef ref(u64 offset) const { return DwarfTypes::ref(information->unit(0)->at(offset)); }
  TypeShape shape(u64 offset) const { return types->shape(ref(offset)); }
  std::string text(u64 offset) const { return types->text(ref(offset)); }

  DwarfWriter dwarf;
  u64 number = 0, letter = 0, last_struct = 0;
  std::unique_ptr<DebugInformation> information;
  std::optional<DwarfTypes> types;
};

TEST(DwarfTypes, IntegersHaveSignsAndOnlyCharsMakeStrings) {
  struct Case {
    const char* name;
    u64 size, encoding;
    TypeKind kind;
    bool is_signed, is_character;
  };
  constexpr TypeKind kInteger = TypeKind::Integer;
  for (const Case& each :
       {Case{"int", 4, kAteSigned, kInteger, true, false},
        Case{"unsigned long", 8, kAteUnsigned, kInteger, false, false},
        Case{"char", 1, kAteSignedChar, kInteger, true, true}, Case{"u8", 1, kAteUnsignedChar, kInteger, false, true},
        Case{"bool", 1, kAteBoolean, kInteger, false, false}, Case{"signed byte", 1, kAteSigned, kInteger, true, false},
        Case{"wide", 4, kAteSignedChar, kInteger, true, false},
        Case{"double", 8, kAteFloat, TypeKind::Float, false, false}}) {
    WrittenTypes written;
    const u64 type = written.base(each.name, each.size, each.encoding);
    written.open();
    const TypeShape shape = written.shape(type);
    EXPECT_EQ(shape.kind, each.kind) << each.name;
    EXPECT_EQ(shape.name, each.name);
    EXPECT_EQ(shape.size, each.size) << each.name;
    EXPECT_EQ(shape.is_signed, each.is_signed) << each.name;
    EXPECT_EQ(shape.is_character, each.is_character) << each.name;
  }
}

TEST(DwarfTypes, ShapesLookThroughNamesAndQualifiersAndTextsKeepNames) {
  WrittenTypes written;
  const u64 constant = written.of(DwarfTag::ConstType, written.number);
  const u64 named = written.of(DwarfTag::Typedef, constant, {WrittenTypes::name("count_t")});
  const u64 whole = written.of(DwarfTag::VolatileType, named);
  const u64 pointer = written.of(DwarfTag::PointerType, whole);
  const u64 nothing = written.of(DwarfTag::PointerType, 0);
  const u64 function = written.of(DwarfTag::PointerType, written.of(DwarfTag::SubroutineType, 0));
  written.open();
  EXPECT_EQ(written.shape(whole).kind, TypeKind::Integer);
  EXPECT_EQ(written.shape(whole).size, 4u);
  EXPECT_EQ(written.text(whole), "count_t");
  EXPECT_EQ(written.shape(pointer).kind, TypeKind::Pointer);
  EXPECT_EQ(written.shape(pointer).size, 8u) << "that of an address";
  EXPECT_EQ(written.types->shape(written.shape(pointer).target).name, "int");
  EXPECT_EQ(written.text(pointer), "count_t*");
  EXPECT_EQ(written.text(nothing), "void*");
  EXPECT_EQ(written.types->shape(written.shape(nothing).target).kind, TypeKind::Nothing);
  EXPECT_EQ(written.text(function), "(function_type)*");
  EXPECT_EQ(written.types->shape(TypeRef()).kind, TypeKind::Nothing);
  EXPECT_EQ(written.types->text(TypeRef()), "void");
}

TEST(DwarfTypes, ArraysLoseADimensionAtATime) {
  WrittenTypes written;
  const u64 matrix = written.array(written.number, {{At::UpperBound, Data1, 2}, {At::ElementCount, Data1, 5}});
  const u64 text = written.array(written.letter, {{At::UpperBound, Data1, 15}});
  const u64 flexible = written.array(written.number, {{At::Name, Text, 0, ""}});
  written.open();
  const TypeShape outer = written.shape(matrix);
  EXPECT_EQ(outer.kind, TypeKind::Array);
  EXPECT_EQ(outer.size, 3u * 5 * 4);
  const TypeShape inner = written.types->shape(outer.target);
  EXPECT_EQ(inner.kind, TypeKind::Array);
  EXPECT_EQ(inner.size, 5u * 4);
  EXPECT_EQ(written.types->shape(inner.target).kind, TypeKind::Integer);
  EXPECT_EQ(written.text(matrix), "int*");
  EXPECT_EQ(written.shape(text).size, 16u);
  EXPECT_TRUE(written.types->shape(written.shape(text).target).is_character);
  EXPECT_EQ(written.shape(flexible).size, std::nullopt) << "int a[]";
}

TEST(DwarfTypes, MembersHavePlacesInBytesOrBits) {
  WrittenTypes written;
  written.begin_struct(DwarfTag::StructureType, "packet", 16);
  const u64 packet = written.last_struct;
  const auto member = [&](const char* name, std::vector<DwarfValue> more) {
    more.push_back(WrittenTypes::name(name));
    written.of(DwarfTag::Member, written.number, more);
  };
  member("first", {{At::MemberLocation, Data1, 0}});
  member("old", {{At::MemberLocation, Block1, 0, "\x23\x08"}});               // DW_OP_plus_uconst 8
  member("bits", {{At::BitSize, Data1, 3}, {At::DataBitOffset, Data1, 37}});  // DWARF 4 and later
  member("old_bits", {{At::MemberLocation, Data1, 4}, {At::BitSize, Data1, 3}, {At::BitOffset, Data1, 20}});
  member("shared", {{At::External, FlagPresent}});  // a static member of a C++ class
  written.dwarf.end_children();
  written.open();
  const auto members = written.types->members(written.ref(packet));
  ASSERT_EQ(members.size(), 4u);
  EXPECT_EQ(members[0].name, "first");
  EXPECT_EQ(members[0].bit_size, 0u);
  EXPECT_EQ(members[1].offset, 8u);
  EXPECT_EQ(members[2].bit_size, 3u);
  EXPECT_EQ(members[2].bit_start, 37u);
  EXPECT_EQ(members[3].bit_start, 4 * 8 + 32 - 20 - 3u) << "from the top of the word before DWARF 4";
  EXPECT_EQ(written.shape(packet).kind, TypeKind::Structure);
  EXPECT_EQ(written.text(packet), "struct packet");
}

TEST(DwarfTypes, BitFieldsOfBigEndianProgramsCountFromTheTop) {
  WrittenTypes written({.order = ByteOrder::Big});
  written.begin_struct(DwarfTag::StructureType, "packet", 4);
  written.of(DwarfTag::Member, written.number,
             {WrittenTypes::name("bits"),
              {At::MemberLocation, Data1, 4},
              {At::BitSize, Data1, 3},
              {At::BitOffset, Data1, 20}});
  written.dwarf.end_children();
  written.open();
  const auto members = written.types->members(written.ref(written.last_struct));
  ASSERT_EQ(members.size(), 1u);
  EXPECT_EQ(members[0].bit_start, 4u * 8 + 20);
}

TEST(DwarfTypes, MembersOfABaseClassBelongToTheDerived) {
  WrittenTypes written;
  written.begin_struct(DwarfTag::ClassType, "base", 4);
  const u64 base = written.last_struct;
  written.dwarf.end_children();
  written.begin_struct(DwarfTag::ClassType, "derived", 8);
  written.of(DwarfTag::Inheritance, base, {{At::MemberLocation, Data1, 4}});
  written.dwarf.end_children();
  written.open();
  const auto members = written.types->members(written.ref(written.last_struct));
  ASSERT_EQ(members.size(), 1u);
  EXPECT_EQ(members[0].name, "") << "as of an unnamed structure";
  EXPECT_EQ(members[0].offset, 4u);
  EXPECT_EQ(written.types->shape(members[0].type).name, "base");
}

TEST(DwarfTypes, ADeclarationHasTheMembersOfItsDefinition) {
  WrittenTypes written;
  const u64 declared =
      written.dwarf.entry(DwarfTag::StructureType, {WrittenTypes::name("node"), {At::Declaration, FlagPresent}});
  const u64 unknown =
      written.dwarf.entry(DwarfTag::StructureType, {WrittenTypes::name("hidden"), {At::Declaration, FlagPresent}});
  written.begin_struct(DwarfTag::StructureType, "node", 4);
  written.of(DwarfTag::Member, written.number, {WrittenTypes::name("value")});
  written.dwarf.end_children();
  written.open();
  ASSERT_EQ(written.types->members(written.ref(declared)).size(), 1u);
  EXPECT_TRUE(written.types->members(written.ref(unknown)).empty());
}

TEST(DwarfTypes, FindsTheTypeOfACast) {
  WrittenTypes written;
  written.dwarf.entry(DwarfTag::StructureType, {WrittenTypes::name("point"), {At::Declaration, FlagPresent}});
  written.begin_struct(DwarfTag::StructureType, "point", 8);
  const u64 point = written.last_struct;
  written.dwarf.end_children();
  const u64 kind =
      written.dwarf.entry(DwarfTag::EnumerationType, {WrittenTypes::name("kind"), {At::ByteSize, Data1, 4}});
  written.open();
  for (const char* spelled : {"point", "struct point", " struct  point * *", "const struct point*", "class point"})
    EXPECT_EQ(written.types->find(spelled), written.ref(point)) << spelled << ": the definition";
  EXPECT_EQ(written.types->find("enum kind"), written.ref(kind));
  EXPECT_EQ(written.types->find("int"), written.ref(written.number));
  for (const char* spelled : {"", "poin", "struct", "point_t", "a.c"})
    EXPECT_FALSE(written.types->find(spelled)) << spelled;
}

TEST(DwarfTypes, AreFoundInOtherUnits) {
  WrittenTypes written;
  written.dwarf.end_children();
  written.dwarf.end_unit();
  written.dwarf.begin_unit();
  written.dwarf.entry(DwarfTag::CompileUnit,
                      {WrittenTypes::name("b.c"), {At::LowPc, Address, 0x11000}, {At::HighPc, Data4, 0x10}}, true);
  written.base("elsewhere", 2, kAteUnsigned);
  written.open();
  const TypeRef found = written.types->find("elsewhere");
  ASSERT_TRUE(found);
  EXPECT_EQ(written.types->shape(found).size, 2u);
}

// Hostile files: types that refer to themselves, and arrays of themselves.
TEST(DwarfTypes, ThatLeadToThemselvesEnd) {
  WrittenTypes written;
  const u64 named = written.of(DwarfTag::Typedef, written.dwarf.next(), {WrittenTypes::name("loop")});
  const u64 pointer = written.of(DwarfTag::PointerType, written.dwarf.next());
  const u64 array = written.array(written.dwarf.next(), {{At::ElementCount, Data1, 2}});
  written.open();
  EXPECT_EQ(written.shape(named).kind, TypeKind::Nothing);
  EXPECT_EQ(written.text(named), "loop");
  EXPECT_EQ(written.shape(pointer).target, written.ref(pointer));
  EXPECT_FALSE(written.text(pointer).empty());
  EXPECT_EQ(written.shape(array).size, std::nullopt);
}

}  // namespace
}  // namespace peregrine
