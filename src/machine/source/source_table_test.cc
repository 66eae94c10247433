// Source lines and inlined functions of frames, as texts, for a program with debug information.
#include "machine/source/source_table.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "machine/dso/kept_files.h"
#include "machine/machine.h"
#include "support/byte_buffer.h"
#include "support/dwarf_writer.h"
#include "support/elf_image.h"
#include "support/temporary_folder.h"
#include "symbol/dwarf/dwarf_constants.h"

namespace peregrine {
namespace {

using support::ByteBuffer;
using support::DwarfWriter;
using At = DwarfAttribute;

// "prog": main() of /src/app/main.c at [0, 0x40) of .text, line 10 up to 0x10, then line 11. From 0x20 to 0x28,
// helper<int>() line 3 is inlined, called by line 12 of main. A symbol without lines follows.
ElfImage program_with_lines() {
  const u64 text = ElfImage().text_address;
  DwarfWriter dwarf;
  dwarf.begin_unit();
  const auto code = [&](u64 offset, u64 size, std::vector<support::DwarfValue> more) {
    more.push_back({At::LowPc, DwarfForm::Address, text + offset});
    more.push_back({At::HighPc, DwarfForm::Data4, size});
    return more;
  };
  dwarf.entry(
      DwarfTag::CompileUnit,
      code(0, 0x40,
           {{At::CompilationFolder, DwarfForm::Text, 0, "/src/app"}, {At::StatementList, DwarfForm::SectionOffset, 0}}),
      true);
  const u64 helper = dwarf.entry(DwarfTag::Subprogram, {{At::LinkageName, DwarfForm::Text, 0, "_Z6helperIiEvT_"}});
  dwarf.entry(DwarfTag::Subprogram, code(0, 0x40, {{At::Name, DwarfForm::Text, 0, "main"}}), true);
  dwarf.entry(DwarfTag::InlinedSubroutine, code(0x20, 8,
                                                {dwarf.refer(At::AbstractOrigin, helper),
                                                 {At::CallFile, DwarfForm::Data1, 1},
                                                 {At::CallLine, DwarfForm::Data1, 12}}));
  dwarf.end_children();
  dwarf.end_children();
  dwarf.end_unit();
  ByteBuffer tables, program;
  tables.zeros(1).ended_text("main.c", 1).zeros(3).zeros(1);
  program.put(0, 1).put(9, 1).put(2, 1).put64(text);
  const auto row = [&](u8 advance, u8 lines) { program.put(2, 1).put(advance, 1).put(3, 1).put(lines, 1).put(1, 1); };
  row(0, 9);        // line 10
  row(0x10, 1);     // line 11
  row(0x10, 0x78);  // line 3
  row(8, 8);        // line 11 again
  program.put(2, 1).put(0x18, 1).put(0, 1).put(1, 1).put(1, 1);
  ElfImage image = dwarf.image({{".debug_line", dwarf.lines({}, tables, program)}});
  image.build_id = "\x01\x02\x03\x04";
  image.symtab = {{.name = "main", .value = text, .size = 0x40}, {.name = "bare", .value = text + 0x100, .size = 0x10}};
  return image;
}

class SourceTableTest : public ::testing::Test {
 protected:
  SourceTableTest() {
    program_with_lines().write_to(folder_.path("prog"));
    open();
  }
  void open(const SymbolPlaces& places = {}, bool full_paths = false) {
    machine_ = std::make_unique<Machine>(places);
    dso_ = machine_->dsos().find_or_add(DsoKind::File, folder_.path("prog"));
    table_ = std::make_unique<SourceTable>(machine_->dsos(), full_paths);
  }
  Frame frame(u64 offset) const {
    const u64 address = ElfImage::kTextOffset + offset;
    return {.address = address, .dso = dso_, .symbol = machine_->dsos().symbols(dso_).find_index(address)};
  }
  std::string line(u64 offset, SourceTable::Place place = SourceTable::Place::Exact) {
    return std::string(table_->text(table_->line(frame(offset), place)));
  }
  // "inlined@line inlined@line | line"
  std::string functions(u64 offset, bool lines = true) {
    std::vector<InlinedFunction> inlined;
    const SourceTextId own = table_->functions(frame(offset), SourceTable::Place::Exact, inlined, lines);
    std::string text;
    for (const InlinedFunction& one : inlined)
      text += fmt::format("{}@{} ", table_->text(one.name), table_->text(one.line));
    return text + "| " + std::string(table_->text(own));
  }

  TemporaryFolder folder_;
  std::unique_ptr<Machine> machine_;
  DsoId dso_;
  std::unique_ptr<SourceTable> table_;
};

TEST_F(SourceTableTest, NamesTheLineOfAnInstructionOrOfACall) {
  EXPECT_EQ(line(0), "main.c:10");
  EXPECT_EQ(line(0x10), "main.c:11");
  EXPECT_EQ(line(0x10, SourceTable::Place::Return), "main.c:10") << "the call is before its return address";
  EXPECT_EQ(line(0x40), "");
  EXPECT_EQ(line(0x40, SourceTable::Place::Return), "main.c:11") << "a call that never returns may end a function";
}

TEST_F(SourceTableTest, ShowsWholePathsOnRequest) {
  open({}, true);
  EXPECT_EQ(line(0), "/src/app/main.c:10");
}

TEST_F(SourceTableTest, ListsInlinedFunctionsWithTheLinesOfTheirCalls) {
  EXPECT_EQ(functions(0x20), "helper<int>@main.c:3 | main.c:12");
  EXPECT_EQ(functions(0x20, false), "helper<int>@ | ");
  EXPECT_EQ(functions(0x10), "| main.c:11");
  EXPECT_EQ(functions(0x100), "| ");
}

TEST_F(SourceTableTest, LeavesNamesAsTheyAreOnRequest) {
  open({.demangle = false});
  EXPECT_EQ(functions(0x20), "_Z6helperIiEvT_@main.c:3 | main.c:12");
}

TEST_F(SourceTableTest, SubstitutesUnknownLines) {
  Resolver resolver(*machine_);
  const auto shown = [&](const Frame& of) { return std::string(table_->text(table_->shown_line(resolver, of))); };
  EXPECT_EQ(shown(frame(0x10)), "main.c:11");
  EXPECT_EQ(shown(frame(0x108)), "bare+8");
  EXPECT_EQ(table_->text(table_->shown_line(resolver, frame(0x108), {}, true)), "+8");
  EXPECT_EQ(shown(frame(0x200)), "prog[1200]");
  EXPECT_EQ(shown(Frame{}), "??:0");
}

TEST_F(SourceTableTest, GivesEqualTextsOneId) {
  EXPECT_EQ(table_->keep("text"), table_->keep(std::string("te") + "xt"));
  EXPECT_NE(table_->keep("text"), table_->keep("other"));
  EXPECT_EQ(table_->line(frame(0)), table_->line(frame(1)));
  EXPECT_EQ(table_->text({}), "");
}

TEST_F(SourceTableTest, HasNothingForOtherDsos) {
  const DsoId gone = machine_->dsos().find_or_add(DsoKind::File, "/nowhere/prog");
  EXPECT_EQ(table_->lines(gone), nullptr);
  EXPECT_FALSE(table_->line(Frame{.address = 0x1000, .dso = gone}));
  const DsoId heap = machine_->dsos().find_or_add(DsoKind::NoSymbols, "[heap]");
  EXPECT_FALSE(table_->line(Frame{.address = 0x1000, .dso = heap}));
  ASSERT_NE(table_->lines(dso_), nullptr);
  EXPECT_EQ(table_->virtual_address(frame(0x10)), ElfImage().text_address + 0x10);
  EXPECT_EQ(table_->virtual_address(Frame{.address = 0, .dso = dso_}), std::nullopt) << "not loaded";
}

TEST_F(SourceTableTest, KeepsItsAnswersForTheNextRun) {
  SymbolPlaces places;
  places.kept = KeptFiles(folder_.path("kept"), u64{1} << 20);
  open(places);
  EXPECT_EQ(functions(0x20), "helper<int>@main.c:3 | main.c:12");
  table_->keep_answers();
  // The next run finds a file of the same build, but without debug information.
  ElfImage stripped = program_with_lines();
  stripped.extra.clear();
  stripped.write_to(folder_.path("prog"));
  open(places);
  EXPECT_EQ(functions(0x20), "helper<int>@main.c:3 | main.c:12");
  EXPECT_EQ(functions(0x10), "| ") << "which nobody asked for before";
}

}  // namespace
}  // namespace peregrine
