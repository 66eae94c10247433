// PointProgram: the debugging entries of a small program, and a function that formats a tree of them as text.
#pragma once
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/types.h"
#include "support/dwarf_writer.h"
#include "support/elf_image.h"
#include "symbol/dwarf/debug_entries.h"
#include "symbol/dwarf/dwarf_constants.h"
#include "symbol/elf/elf_file.h"

namespace peregrine::support {

inline std::unique_ptr<DebugInformation> open_entries(const DwarfWriter& dwarf, std::vector<ImageSection> more = {}) {
  auto file = ElfFile::from_bytes(dwarf.image(std::move(more)).bytes(), "image");
  EXPECT_TRUE(file);
  auto opened = DebugInformation::open(std::move(*file));
  EXPECT_TRUE(opened) << opened.error().message;
  return opened ? std::move(*opened) : nullptr;
}

inline DwarfValue entry_name(std::string name) { return {DwarfAttribute::Name, DwarfForm::Text, 0, std::move(name)}; }

// "TAG(name child child)" for the subtree, tags as numbers.
inline std::string outline(const DebugEntry& entry) {
  std::string text = fmt::format("{:x}({}", static_cast<u16>(entry.tag()), entry.name());
  for (const DebugEntry& child : entry.children()) {
    EXPECT_EQ(child.parent(), entry);
    text += " " + outline(child);
  }
  return text + ")";
}

// struct point { int x, y; } and main(): the offsets of its entries are members.
struct PointProgram {
  explicit PointProgram(DwarfShape shape = {}) : dwarf(shape) {
    dwarf.begin_unit();
    dwarf.entry(DwarfTag::CompileUnit, {entry_name("a.c"), {DwarfAttribute::Language, DwarfForm::Data1, 12}}, true);
    number = dwarf.entry(DwarfTag::BaseType, {entry_name("int"), {DwarfAttribute::ByteSize, DwarfForm::Data1, 4}});
    point = dwarf.entry(DwarfTag::StructureType,
                        {entry_name("point"), {DwarfAttribute::ByteSize, DwarfForm::UnsignedData, 8}}, true);
    member("x", 0);
    member("y", 4);
    dwarf.end_children();
    dwarf.entry(DwarfTag::Subprogram, {entry_name("main"), {DwarfAttribute::External, DwarfForm::FlagPresent}}, true);
    dwarf.entry(DwarfTag::Variable, {entry_name("p"), dwarf.refer(DwarfAttribute::Type, point)});
    dwarf.end_children();
    dwarf.end_children();
    dwarf.end_unit();
  }
  void member(const std::string& name, u64 place) {
    dwarf.entry(DwarfTag::Member, {entry_name(name),
                                   dwarf.refer(DwarfAttribute::Type, number),
                                   {DwarfAttribute::MemberLocation, DwarfForm::Data1, place}});
  }

  DwarfWriter dwarf;
  u64 number = 0, point = 0;
};

}  // namespace peregrine::support
