// ProbedProgram: a program of three functions with its debug information and its source, for tests of probes.
//
//    1 /* prog.c */                            code
//    2
//    3 static inline int twice(int n)          inlined into work: 0x11010 to 0x11018
//    4 {
//    5   return n + n;                         0x11010
//    6 }
//    7
//    8 int work(int n)                         0x11000 to 0x11030; n is in %di
//    9 {
//   10   int sum = 0;                          0x11004
//   11   // adds
//   12   sum += twice(n);                      called at 0x11010; the sum is stored at 0x11018
//   13   return sum;                           0x11020
//   14 }
//   15
//   16 int main(void)                          0x11040 to 0x11060
//   17 {
//   18   return work(3);                       0x11044
//   19 }
#pragma once
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/types.h"
#include "support/byte_buffer.h"
#include "support/dwarf_writer.h"
#include "support/elf_image.h"
#include "support/temporary_folder.h"
#include "symbol/dwarf/debug_entries.h"
#include "symbol/dwarf/dwarf_constants.h"
#include "symbol/elf/elf_file.h"

namespace peregrine::support {

class ProbedProgram {
 public:
  static constexpr u64 kTwice = 0x11010, kWork = 0x11000, kMain = 0x11040;
  static constexpr const char* kSource =
      "/* prog.c */\n\nstatic inline int twice(int n)\n{\n  return n + n;\n}\n\nint work(int n)\n{\n  int sum = 0;\n"
      "  // adds\n  sum += twice(n);\n  return sum;\n}\n\nint main(void)\n{\n  return work(3);\n}\n";

  // `producer`: the compiler and its options. `marks_prologues`: the line table marks the ends of prologues.
  explicit ProbedProgram(const std::string& producer = "clang", bool marks_prologues = false) {
    folder_.write("prog.c", kSource);
    DwarfWriter dwarf;
    dwarf.begin_unit();
    write_entries(dwarf, producer);
    dwarf.end_unit();
    ByteBuffer tables;
    tables.zeros(1).ended_text("prog.c", 1).zeros(4);  // no folders; one file in the compilation folder
    image_ = dwarf.image({{".debug_line", dwarf.lines({}, tables, line_program(marks_prologues))}});
    image_.symtab = {{.name = "work", .value = kWork, .size = 0x30},
                     {.name = "_ZN3app4mainEv", .value = kMain, .size = 0x20}};
    auto file = ElfFile::from_bytes(image_.bytes(), "/bin/prog");
    EXPECT_TRUE(file);
    auto opened = DebugInformation::open(std::move(*file));
    EXPECT_TRUE(opened);
    if (opened) information_ = std::move(*opened);
  }

  const DebugInformation& information() const { return *information_; }
  const ElfImage& image() const { return image_; }
  // Where prog.c is; the debug information says /src.
  const std::string& source_folder() const { return folder_.path(); }
  // The function with that name, defined or only declared.
  DebugEntry function(std::string_view name) const {
    for (const DebugEntry child : information_->unit(0)->root().children())
      if (child.name() == name) return child;
    return {};
  }

 private:
  using At = DwarfAttribute;
  static void write_entries(DwarfWriter& dwarf, const std::string& producer) {
    using enum DwarfForm;
    const auto declared = [](const char* name, u64 line) {
      return std::vector<DwarfValue>{
          {At::Name, Text, 0, name}, {At::DeclarationFile, Data1, 1}, {At::DeclarationLine, Data1, line}};
    };
    const auto with_code = [](std::vector<DwarfValue> values, u64 begin, u64 size) {
      values.push_back({At::LowPc, Address, begin});
      values.push_back({At::HighPc, Data4, size});
      return values;
    };
    dwarf.entry(DwarfTag::CompileUnit,
                with_code({{At::Name, Text, 0, "prog.c"},
                           {At::CompilationFolder, Text, 0, "/src"},
                           {At::Producer, Text, 0, producer},
                           {At::StatementList, SectionOffset, 0}},
                          kWork, 0x60),
                true);
    const u64 number = dwarf.entry(DwarfTag::BaseType,
                                   {{At::Name, Text, 0, "int"}, {At::ByteSize, Data1, 4}, {At::Encoding, Data1, 5}});
    std::vector<DwarfValue> abstract = declared("twice", 3);
    abstract.push_back({At::Inline, Data1, 3});
    const u64 twice = dwarf.entry(DwarfTag::Subprogram, abstract);
    std::vector<DwarfValue> work = declared("work", 8);
    work.push_back(dwarf.refer(At::Type, number));
    dwarf.entry(DwarfTag::Subprogram, with_code(work, kWork, 0x30), true);
    dwarf.entry(
        DwarfTag::FormalParameter,
        {{At::Name, Text, 0, "n"}, dwarf.refer(At::Type, number), {At::Location, Expression, 0, "\x55"}});  // %di
    dwarf.entry(DwarfTag::InlinedSubroutine,
                with_code({dwarf.refer(At::AbstractOrigin, twice), {At::CallFile, Data1, 1}, {At::CallLine, Data1, 12}},
                          kTwice, 8));
    dwarf.end_children();
    std::vector<DwarfValue> main = declared("main", 16);
    main.push_back({At::LinkageName, Text, 0, "_ZN3app4mainEv"});  // as if it were in a namespace
    dwarf.entry(DwarfTag::Subprogram, with_code(main, kMain, 0x20));
    dwarf.end_children();
  }

  static ByteBuffer line_program(bool marks_prologues) {
    ByteBuffer out;
    int line = 1;
    const auto row = [&](u64 address, int at, bool ends_prologue = false) {
      out.put(0, 1).put(9, 1).put(2, 1).put64(address);                               // set address
      out.put(3, 1).put(static_cast<u64>((at - std::exchange(line, at)) & 0x7f), 1);  // advance line
      if (ends_prologue) out.put(10, 1);
      out.put(1, 1);  // row
    };
    row(kWork, 8);
    row(0x11004, 10);
    row(kTwice, 5, marks_prologues);
    row(0x11018, 12);
    row(0x11020, 13);
    row(kMain, 16);
    row(0x11044, 18);
    out.put(0, 1).put(9, 1).put(2, 1).put64(0x11060);
    out.put(0, 1).put(1, 1).put(1, 1);  // end of the sequence
    return out;
  }

  TemporaryFolder folder_;
  ElfImage image_;
  std::unique_ptr<DebugInformation> information_;
};

}  // namespace peregrine::support
