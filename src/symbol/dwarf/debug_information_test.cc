// The units of a file with debug information, and what can be read of damaged ones.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/types.h"
#include "support/debug_program.h"
#include "support/dwarf_writer.h"
#include "support/elf_image.h"
#include "symbol/dwarf/debug_entries.h"
#include "symbol/dwarf/dwarf_constants.h"
#include "symbol/elf/elf_file.h"

namespace peregrine {
namespace {

using support::DwarfWriter;
using support::entry_name;
using support::open_entries;
using support::outline;
using support::PointProgram;
using At = DwarfAttribute;

// Units of every kind, each with one sixteenth of .text as its code; only the first and last have functions.
DwarfWriter units_of_all_kinds() {
  DwarfWriter dwarf({.version = 5});
  u64 code = ElfImage().text_address;
  for (const DwarfUnitType type :
       {DwarfUnitType::Compile, DwarfUnitType::Type, DwarfUnitType::Partial, DwarfUnitType::Compile}) {
    dwarf.begin_unit(type);
    dwarf.entry(DwarfTag::CompileUnit, {entry_name(fmt::format("{:x}", code)),
                                        {At::LowPc, DwarfForm::Address, code},
                                        {At::HighPc, DwarfForm::Data4, 0x100}});
    dwarf.end_unit();
    code += 0x100;
  }
  return dwarf;
}

TEST(DebugInformation, VisitsTheUnitsWithCode) {
  using Visit = DebugInformation::Visit;
  const auto information = open_entries(units_of_all_kinds());
  ASSERT_EQ(information->unit_count(), 4u);
  EXPECT_EQ(information->unit(1), nullptr) << "types only";
  EXPECT_EQ(information->unit(2), nullptr) << "entries shared by other units";
  const auto visited = [&](Visit wish) {
    std::string names;
    information->each_unit([&](const EntryUnit& unit) {
      names += std::string(unit.root().name()) + " ";
      return wish;
    });
    return names;
  };
  EXPECT_EQ(visited(Visit::Drop), "11000 11300 ");
  EXPECT_EQ(visited(Visit::Keep), "11000 11300 ");
  EXPECT_EQ(visited(Visit::KeepAndStop), "11000 ");
}

TEST(DebugInformation, FindsTheUnitOfAnAddress) {
  const auto information = open_entries(units_of_all_kinds());
  ASSERT_NE(information->unit_covering(0x11000), nullptr);
  EXPECT_EQ(information->unit_covering(0x11000), information->unit(0));
  EXPECT_EQ(information->unit_covering(0x113ff), information->unit(3));
  EXPECT_EQ(information->unit_covering(0x11400), nullptr);
  EXPECT_EQ(information->unit_covering(0x11100), nullptr) << "type units have no code";
  EXPECT_EQ(information->unit(0)->lowest_address(), 0x11000u);
}

TEST(DebugInformation, KeepsTheEntriesBeforeDamage) {
  const PointProgram program;
  auto entries = program.dwarf.entries();
  const auto open_damaged = [&](auto damage) {
    std::vector<std::byte> damaged = entries;
    damage(damaged);
    ElfImage image = program.dwarf.image();
    image.extra[0].contents = damaged;
    auto information = DebugInformation::open(*ElfFile::from_bytes(image.bytes(), "image"));
    EXPECT_TRUE(information);
    return outline((*information)->unit(0)->root());
  };
  EXPECT_EQ(open_damaged([&](auto& bytes) { bytes[program.point] = std::byte{99}; }), "11(a.c 24(int))")
      << "no abbreviation 99";
  // The unit is truncated in the middle of the structure's name.
  EXPECT_EQ(open_damaged([&](auto& bytes) {
              bytes.resize(program.point + 3);
              bytes[0] = static_cast<std::byte>(bytes.size() - 4);
            }),
            "11(a.c 24(int))");
}

TEST(DebugInformation, BoundsTheDepthOfItsTree) {
  DwarfWriter dwarf;
  dwarf.begin_unit();
  dwarf.entry(DwarfTag::CompileUnit, {}, true);
  for (int i = 0; i < 2000; ++i) dwarf.entry(DwarfTag::LexicalBlock, {}, true);
  dwarf.end_unit();
  const auto information = open_entries(dwarf);
  DebugEntry at = information->unit(0)->root();
  std::size_t depth = 1;
  for (auto children = at.children(); !children.empty(); children = at.children(), ++depth) at = children[0];
  EXPECT_GT(depth, 100u) << "compilers nest some dozens";
  EXPECT_LT(depth, 500u) << "callers recurse";
}

TEST(DebugInformation, NeedsEntries) {
  const auto open_image = [](const ElfImage& image) {
    return DebugInformation::open(*ElfFile::from_bytes(image.bytes(), "image"));
  };
  for (const ElfImage& image : {ElfImage(), DwarfWriter().image()}) {
    const auto opened = open_image(image);
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error().kind, ErrorKind::NotFound);
    EXPECT_EQ(opened.error().message, "image: no debug information");
  }
}

}  // namespace
}  // namespace peregrine
