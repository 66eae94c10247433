#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/data_type/code_blocks.h"
#include "analysis/data_type/data_access.h"
#include "analysis/data_type/data_type_table.h"
#include "analysis/data_type/known_value.h"
#include "analysis/data_type/member_place.h"
#include "analysis/data_type/placed_variables.h"
#include "analysis/data_type/type_layout.h"
#include "base/bytes.h"
#include "base/fd.h"
#include "base/types.h"
#include "insn/disassembler.h"
#include "insn/instruction.h"
#include "probe/point/line_walk.h"
#include "probe/type/dwarf_types.h"
#include "probe/type/type_source.h"
#include "symbol/dwarf/debug_entries.h"
#include "symbol/dwarf/dwarf_constants.h"
#include "symbol/elf/elf_file.h"

namespace peregrine {
namespace {

// Types of tests/fixtures/data_types/places.c.
class DataTypes : public ::testing::Test {
 protected:
  void SetUp() override {
    auto file = ElfFile::open(PEREGRINE_FIXTURES "/data_types/x86");
    ASSERT_TRUE(file);
    auto opened = DebugInformation::open(std::move(*file));
    ASSERT_TRUE(opened);
    information = std::move(*opened);
    unit = information->unit(0);
    ASSERT_NE(unit, nullptr);
  }
  TypeRef type(std::string_view name) const { return DwarfTypes(*unit).find(name); }
  DebugEntry function(std::string_view name) const {
    DebugEntry found;
    walk_functions(*unit, [&](DebugEntry entry) {
      if (entry.name() == name) found = entry;
    });
    return found;
  }
  KnownValue object(std::string_view name, i64 offset, bool walked = false) const {
    return {.kind = KnownValue::Kind::Object, .walked = walked, .offset = offset, .type = type(name)};
  }

  std::unique_ptr<DebugInformation> information;
  const EntryUnit* unit = nullptr;
};

TEST_F(DataTypes, AnOffsetIsAMember) {
  const DwarfTypes types(*unit);
  const auto path = [&](u64 offset) { return member_at(types, type("struct node"), offset).path; };
  EXPECT_EQ(path(0), "next");
  EXPECT_EQ(path(8), "data");
  EXPECT_EQ(path(0x12), "range.high");
  EXPECT_EQ(path(0x20), "slots[1]");
  EXPECT_EQ(path(0x23), "slots[1]");
  EXPECT_FALSE(member_at(types, type("struct node"), 0x14).type);  // padding
  EXPECT_EQ(member_at(types, type("struct node"), 0x23).offset, 3u);
  EXPECT_EQ(member_at(types, type("word"), 3).path, "whole");
}

TEST_F(DataTypes, NamesOfStructuresAreTheirOwn) {
  const DwarfTypes types(*unit);
  EXPECT_EQ(data_type_name(types, type("struct node")), "struct node");
  EXPECT_EQ(data_type_name(types, type("point_t")), "point_t");
  EXPECT_EQ(data_type_name(types, type("uint64_t")), "uint64_t");
  EXPECT_EQ(data_type_name(types, types.members(type("struct node"))[0].type), "struct node*");
  EXPECT_EQ(data_type_name(types, TypeRef()), "void");
}

TEST_F(DataTypes, PointersOverWholeElementsGoAlongAnArray) {
  const DwarfTypes types(*unit);
  EXPECT_EQ(moved(types, object("struct node", 8), 8), object("struct node", 16));
  EXPECT_EQ(moved(types, object("struct node", 8), 2 * 56), object("struct node", 8, true));
  EXPECT_EQ(either(types, object("struct node", 8), object("struct node", 64)), object("struct node", 8, true));
  EXPECT_EQ(either(types, object("struct node", 8), object("struct node", 16)), KnownValue());
  EXPECT_EQ(either(types, object("struct node", 0), object("struct payload", 0)), KnownValue());
  EXPECT_EQ(wrapped(-24, 56), 32);
}

TEST_F(DataTypes, PointersLeadToWhatTheyPointTo) {
  const DwarfTypes types(*unit);
  const TypeRef next = types.members(type("struct node"))[0].type;
  EXPECT_EQ(value_of_type(types, next).kind, KnownValue::Kind::Object);
  EXPECT_EQ(data_type_name(types, value_of_type(types, next).type), "struct node");
  EXPECT_EQ(value_of_type(types, type("struct node")), KnownValue());  // begins with a pointer, but has more members
  EXPECT_EQ(value_of_type(types, type("uint64_t")), KnownValue());
}

TEST_F(DataTypes, VariablesAreInRegistersForSomeOfTheCode) {
  const DebugEntry chase = function("chase");
  ASSERT_TRUE(chase);
  const PlacedVariables variables = PlacedVariables::of(chase, information->file().machine());
  const u64 entry = chase.entry_address().value_or(0);
  ASSERT_EQ(variables.at(entry).size(), 1u);
  const PlacedVariable& parameter = variables[variables.at(entry)[0]];
  EXPECT_EQ(parameter.where, PlacedVariable::Where::Register);
  EXPECT_EQ(parameter.reg, 5);  // rdi
  EXPECT_TRUE(variables.at(entry - 1).empty());
}

TEST_F(DataTypes, ALayoutHasInnerMembersInTheirPlaces) {
  const std::vector<LayoutRow> rows = type_layout(type("struct node"));
  ASSERT_EQ(rows.size(), 7u);
  EXPECT_TRUE(rows[0].opens && rows[3].opens);
  EXPECT_EQ(rows[5].name, "high");
  EXPECT_EQ(rows[5].depth, 2u);
  EXPECT_EQ(rows[5].offset, 0x12u);
  EXPECT_EQ(rows[6].name, "slots[4]");
  EXPECT_EQ(rows[6].size, 32u);
}

// The fixture, but with the array of `slots` as its own element type.
TEST_F(DataTypes, ALayoutOfAnArrayOfItselfEnds) {
  DebugEntry array;
  for (const TypeMember& member : DwarfTypes(*unit).members(type("struct node")))
    if (member.name == "slots") array = DwarfTypes::entry_of(member.type);
  ASSERT_TRUE(array);
  ASSERT_EQ(array.tag(), DwarfTag::ArrayType);
  auto content = read_file(PEREGRINE_FIXTURES "/data_types/x86");
  ASSERT_TRUE(content);
  const ElfSection* const section = information->file().find_section(".debug_info");
  ASSERT_NE(section, nullptr);
  // One byte of abbreviation code, then the type as an offset from the first unit, which is at the start of the
  // section.
  const auto offset = static_cast<u32>(array.offset());
  std::memcpy(content->data() + section->offset + offset + 1, &offset, sizeof(offset));
  const Bytes bytes = std::as_bytes(std::span(*content));
  auto file = ElfFile::from_bytes({bytes.begin(), bytes.end()}, "x86");
  ASSERT_TRUE(file);
  const auto broken = DebugInformation::open(std::move(*file));
  ASSERT_TRUE(broken);
  const DwarfTypes types(*(*broken)->unit(0));
  const std::vector<LayoutRow> rows = type_layout(types.find("struct node"));
  ASSERT_EQ(rows.size(), 7u);
  EXPECT_TRUE(rows[6].name.starts_with("slots[")) << rows[6].name;
  EXPECT_LT(rows[6].name.size(), 1000u);
}

TEST(CodeBlocks, AreEnteredAtTheirFirstInstructionOnly) {
  auto disassembler = open_disassembler(Isa::X86_64);
  if (!disassembler) GTEST_SKIP() << disassembler.error().message;
  // 0: test %edi,%edi; 2: je 7; 4: add $1,%eax (3 bytes); 7: jmp 4; 9: ret
  const std::array<u8, 10> code = {0x85, 0xff, 0x74, 0x03, 0x83, 0xc0, 0x01, 0xeb, 0xfb, 0xc3};
  const auto read = [&](u64 address, std::span<std::byte> out) {
    const auto there = std::as_bytes(std::span(code)).subspan(address);
    std::ranges::copy(there.first(out.size()), out.begin());
    return out.size();
  };
  const CodeBlocks blocks = read_code_blocks({{0, code.size()}}, read, **disassembler);
  ASSERT_EQ(blocks.blocks.size(), 4u);
  EXPECT_EQ(blocks.blocks[0].next, (std::vector<u32>{1, 2}));
  EXPECT_EQ(blocks.blocks[1].next, (std::vector<u32>{2}));
  EXPECT_EQ(blocks.blocks[2].next, (std::vector<u32>{1}));
  EXPECT_TRUE(blocks.blocks[3].next.empty());
}

TEST(UnknownTypes, AreCountedByReason) {
  UnknownTypeCounts counts{};
  EXPECT_EQ(unknown_types_text(counts, 5), "");
  counts[static_cast<std::size_t>(UnknownType::NoMemory)] = 1;
  counts[static_cast<std::size_t>(UnknownType::NoDebug)] = 2;
  EXPECT_EQ(unknown_types_text(counts, 5),
            "unknown data type for 3 of 5 samples: 2 in files without debug information, 1 from instructions that do "
            "not access memory");
}

}  // namespace
}  // namespace peregrine
