// Line programs: their header with directories and files, and the rows produced by their instructions.
#include "symbol/dwarf/line_table.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <functional>
#include <initializer_list>
#include <utility>

#include "base/bytes.h"
#include "support/byte_buffer.h"
#include "support/dwarf_writer.h"
#include "support/elf_image.h"
#include "support/open_unit.h"

namespace peregrine {
namespace {

using support::ByteBuffer;
using support::DwarfShape;
using support::DwarfWriter;
using support::LineProgramShape;
using support::one_entry;
using support::OpenUnit;
using support::put_uleb;

// A unit with `section` as its .debug_line.
OpenUnit unit_with_lines(const DwarfShape& shape, std::vector<std::byte> section, std::vector<ImageSection> more = {}) {
  more.push_back({".debug_line", std::move(section)});
  return OpenUnit(one_entry(shape, {}), std::move(more));
}

// Directories and files before DWARF 5, one of each.
ByteBuffer old_tables(const DwarfWriter& dwarf) {
  ByteBuffer tables = dwarf.buffer();
  return tables.ended_text("include", 1).zeros(1).ended_text("a.c", 1).zeros(3).ended_text("b.h", 1).put(1, 1).zeros(3);
}

// The instructions of a line program.
class Instructions {
 public:
  explicit Instructions(ByteBuffer buffer = ByteBuffer()) : out_(std::move(buffer)) {}
  Instructions& plain(std::initializer_list<u8> bytes) {
    for (const u8 byte : bytes) out_.put(byte, 1);
    return *this;
  }
  Instructions& set_address(u64 address, unsigned size = 8) {
    out_.put(0, 1).put(1 + size, 1).put(2, 1).put(address, size);
    return *this;
  }
  Instructions& advance(u64 operations) { return number(2, operations); }
  Instructions& file(u64 index) { return number(4, index); }
  Instructions& line(int by) { return plain({3, static_cast<u8>(by & 0x7f)}); }  // -64 to 63
  Instructions& row() { return plain({1}); }
  Instructions& end() { return plain({0, 1, 1}); }
  // A sequence of one row.
  Instructions& sequence(u64 begin, u64 end_address, int line_number) {
    return set_address(begin).line(line_number - 1).row().set_address(end_address).end();
  }
  const ByteBuffer& bytes() const { return out_; }

 private:
  Instructions& number(u8 code, u64 value) {
    put_uleb(out_.put(code, 1), value);
    return *this;
  }
  ByteBuffer out_;
};

// "ADDRESS:LINE ", with "!" after rows that do not begin a statement, "*" after the end of a prologue, and "-" for
// gaps.
std::string rows_text(const LineTable& table) {
  std::string text;
  for (const LineTable::Row& row : table.rows()) {
    if (row.file == LineTable::kNoFile) {
      text += fmt::format("{:x}:- ", row.address);
      continue;
    }
    text += fmt::format("{:x}:{}{}{} ", row.address, u32{row.line}, row.is_statement ? "" : "!",
                        row.ends_prologue ? "*" : "");
  }
  return text;
}

std::string rows_of_program(const Instructions& program, const LineProgramShape& line = {},
                            const DwarfShape& shape = {}) {
  const DwarfWriter dwarf(shape);
  const OpenUnit unit = unit_with_lines(shape, dwarf.lines(line, old_tables(dwarf), program.bytes()));
  const auto header = read_line_header(*unit, 0);
  EXPECT_TRUE(header) << header.error().message;
  return header ? rows_text(LineTable::run(*unit, *header)) : "";
}

TEST(LineProgram, MakesARowOfEachCopy) {
  EXPECT_EQ(
      rows_of_program(Instructions().set_address(0x11000).line(9).row().advance(4).line(-3).row().advance(4).end()),
      "11000:10 11004:7 11008:- ");
}

TEST(LineProgram, AdvancesAddressAndLineAtOnceBySpecialInstructions) {
  // With base -5, range 14 and first code 13, the code 13 + (line + 5) + 14 * address produces a row.
  const auto special = [](int line, int address) { return static_cast<u8>(13 + line + 5 + 14 * address); };
  EXPECT_EQ(rows_of_program(Instructions()
                                .set_address(0x11000)
                                .line(19)
                                .plain({special(0, 0), special(-5, 1), special(8, 16)})
                                .advance(1)
                                .end()),
            "11000:20 11001:15 11011:23 11012:- ");
}

TEST(LineProgram, MovesTheAddressInThreeMoreWays) {
  EXPECT_EQ(rows_of_program(Instructions()
                                .set_address(0x11000)
                                .row()
                                .plain({8})  // like special code 255: (255 - 13) / 14 = 17
                                .row()
                                .plain({9, 0x34, 0x02})  // a fixed two-byte number
                                .row()
                                .advance(0x80)
                                .end()),
            "11000:1 11011:1 11245:1 112c5:- ");
}

TEST(LineProgram, MultipliesAdvancesByTheSmallestInstruction) {
  EXPECT_EQ(rows_of_program(
                Instructions().set_address(0x11000).row().advance(3).row().plain({9, 3, 0}).row().advance(1).end(),
                {.least_instruction = 4}),
            "11000:1 1100c:1 1100f:1 11013:- ")
      << "but not those of a fixed number of bytes";
}

TEST(LineProgram, CountsOperationsOfLongInstructionWords) {
  // Three operations per 16-byte bundle, as on Itanium.
  EXPECT_EQ(
      rows_of_program(
          Instructions().set_address(0x11000).row().advance(2).row().advance(2).row().advance(5).row().advance(3).end(),
          {.least_instruction = 16, .operations = 3}),
      "11000:1 11010:1 11030:1 11040:- ")
      << "the second row is in the word of the first";
}

TEST(LineProgram, MarksStatementsAndTheEndOfThePrologue) {
  const auto program = [] {
    return Instructions()
        .set_address(0x11000)
        .row()
        .plain({6})
        .advance(1)
        .row()
        .plain({6, 10})
        .advance(1)
        .row()
        .advance(1)
        .row()
        .advance(1)
        .end();
  };
  EXPECT_EQ(rows_of_program(program()), "11000:1 11001:1! 11002:1* 11003:1 11004:- ");
  EXPECT_EQ(rows_of_program(program(), {.statement = false}), "11000:1! 11001:1 11002:1!* 11003:1! 11004:- ");
}

TEST(LineProgram, PassesOverWhatDoesNotMatter) {
  EXPECT_EQ(rows_of_program(Instructions()
                                .set_address(0x11000)
                                .plain({5, 0x83, 1})                   // column
                                .plain({7, 11, 12, 0x80, 1})           // basic block, epilogue, instruction set
                                .plain({0, 2, 4, 7})                   // discriminator
                                .plain({0, 5, 0x80, 1, 2, 3, 4})       // a vendor extension
                                .plain({0, 7, 3, 'x', 0, 0, 0, 0, 0})  // another file; removed in DWARF 5
                                .plain({0, 0})                         // empty
                                .row()
                                .advance(1)
                                .end()),
            "11000:1 11001:- ");
}

TEST(LineProgram, KnowsTheOperandsOfInstructionsThatItDoesNotKnow) {
  // Codes 13 and 14 are extensions with one operand each, as the header states.
  EXPECT_EQ(rows_of_program(Instructions().plain({13, 0x81, 1, 14, 1}).set_address(0x11000).row().advance(1).end(),
                            {.first_special = 15}),
            "11000:1 11001:- ");
}

TEST(LineProgram, MayHaveFewerStandardInstructions) {
  // Here, code 4 is special: line -5. Code 24 adds one to address and line.
  EXPECT_EQ(rows_of_program(Instructions().set_address(0x11000).line(9).plain({4, 4 + 14 + 6}).advance(1).end(),
                            {.first_special = 4}),
            "11000:5 11001:6 11002:- ");
}

TEST(LineProgram, ReadsAddressesOfTheSizeThatIsGiven) {
  const DwarfShape shape{ByteOrder::Big, 3, 4, false};
  const Instructions program =
      Instructions(DwarfWriter(shape).buffer()).set_address(0x11000, 4).row().plain({9, 0x02, 0x34}).end();
  EXPECT_EQ(rows_of_program(program, {}, shape), "11000:1 11234:- ");
}

TEST(LineProgram, SortsSequencesAndFillsTheGapsBetweenThem) {
  EXPECT_EQ(
      rows_of_program(
          Instructions().sequence(0x11100, 0x11110, 2).sequence(0x11000, 0x11010, 1).sequence(0x11110, 0x11120, 3)),
      "11000:1 11010:- 11100:2 11110:3 11120:- ");
}

TEST(LineProgram, SortsTheRowsOfASequence) {
  EXPECT_EQ(rows_of_program(Instructions()
                                .set_address(0x11020)
                                .line(1)
                                .row()
                                .set_address(0x11010)
                                .line(1)
                                .row()
                                .set_address(0x11030)
                                .end()),
            "11010:3 11020:2 11030:- ");
}

TEST(LineProgram, GivesOverlapsToTheSequenceThatStartsFirst) {
  EXPECT_EQ(rows_of_program(Instructions().sequence(0x11008, 0x11018, 2).sequence(0x11000, 0x11010, 1)),
            "11000:1 11010:2 11018:- ");
  EXPECT_EQ(rows_of_program(Instructions().sequence(0x11000, 0x11020, 1).sequence(0x11008, 0x11010, 2)),
            "11000:1 11020:- ")
      << "one inside the other adds nothing";
}

TEST(LineProgram, DropsSequencesWithoutCode) {
  EXPECT_EQ(rows_of_program(Instructions().sequence(0, 0x10, 1)), "") << "the linker dropped it";
  EXPECT_EQ(rows_of_program(Instructions().sequence(~u64{0}, 0x10, 1)), "")
      << "newer linkers write the highest address";
  EXPECT_EQ(rows_of_program(Instructions().sequence(0x11000, 0x11000, 1)), "") << "empty";
  EXPECT_EQ(rows_of_program(Instructions().set_address(0x11000).set_address(0x11010).end()), "") << "no row";
  EXPECT_EQ(rows_of_program(Instructions().set_address(0x11000).row()), "") << "it never ends";
}

TEST(LineProgram, StartsEachSequenceAfresh) {
  EXPECT_EQ(rows_of_program(Instructions()
                                .set_address(0x11000)
                                .line(40)
                                .plain({6})
                                .row()
                                .advance(2)
                                .end()
                                .set_address(0x11002)
                                .row()
                                .advance(2)
                                .end()),
            "11000:41! 11002:1 11004:- ");
}

TEST(LineTable, FindsTheLastRowThatStartsAtOrBeforeAnAddress) {
  const DwarfWriter dwarf;
  const Instructions program =
      Instructions().set_address(0x11000).row().line(1).row().file(2).advance(8).row().advance(8).end();
  const OpenUnit unit = unit_with_lines({}, dwarf.lines({}, old_tables(dwarf), program.bytes()));
  const LineTable table = LineTable::run(*unit, *read_line_header(*unit, 0));
  EXPECT_EQ(table.find(0x10fff), nullptr);
  ASSERT_NE(table.find(0x11000), nullptr);
  EXPECT_EQ(u32{table.find(0x11000)->line}, 2u) << "of two rows at one address, the second has the code";
  EXPECT_EQ(table.find(0x11007)->file, 1u);
  EXPECT_EQ(table.find(0x11008)->file, 2u);
  EXPECT_EQ(table.find(0x11010), nullptr);
  EXPECT_EQ(LineTable().find(0), nullptr);
}

struct HeadDamage {
  const char* what;
  std::function<void(std::vector<std::byte>&)> damage;
  const char* message;
};

TEST(LineHead, ErrorsSayWhatIsWrongAndWhere) {
  const auto set = [](std::size_t at, u8 value) {
    return [at, value](std::vector<std::byte>& bytes) { bytes.at(at) = std::byte{value}; };
  };
  // Offsets in a DWARF 4 header: length 0, version 4, length of the header 6, range 14, first special code 15.
  const HeadDamage cases[] = {
      {"no section", [](auto& bytes) { bytes.resize(3); }, "is outside .debug_line"},
      {"too long", set(1, 0xff), "extends past the end of .debug_line"},
      {"version 1", set(4, 1), "has an unknown version"},
      {"version 6", set(4, 6), "has an unknown version"},
      {"its head is longer than it", set(7, 0xff), "has an invalid header"},
      {"no lines to a code", set(14, 0), "divides by zero"},
  };
  const DwarfWriter dwarf;
  const auto good = dwarf.lines({}, old_tables(dwarf), Instructions().sequence(0x11000, 0x11010, 1).bytes());
  for (const HeadDamage& one : cases) {
    SCOPED_TRACE(one.what);
    std::vector<std::byte> section = good;
    one.damage(section);
    const OpenUnit unit = unit_with_lines({}, section);
    const auto header = read_line_header(*unit, 0);
    ASSERT_FALSE(header);
    EXPECT_EQ(header.error().kind, ErrorKind::Malformed);
    EXPECT_EQ(header.error().message, fmt::format("image: line program at 0x0 {}", one.message));
  }
  const OpenUnit unit = unit_with_lines({}, good);
  EXPECT_EQ(read_line_header(*unit, 0x1000).error().message, "image: line program at 0x1000 is outside .debug_line");
}

TEST(LineHead, MustEndWithinItsProgram) {
  const DwarfWriter dwarf;
  ByteBuffer tables;
  tables.text("include");  // neither the name nor the list is terminated
  const OpenUnit unit = unit_with_lines({}, dwarf.lines({}, tables, ByteBuffer()));
  const auto header = read_line_header(*unit, 0);
  ASSERT_FALSE(header);
  EXPECT_EQ(header.error().message, "image: line program at 0x0 has an unterminated header");
}

TEST(LineHead, SurvivesBeingCutAnywhere) {
  const DwarfWriter dwarf;
  const auto good = dwarf.lines({}, old_tables(dwarf), Instructions().sequence(0x11000, 0x11010, 1).bytes());
  for (std::size_t size = 5; size < good.size(); ++size) {
    std::vector<std::byte> section(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(size));
    section[0] = static_cast<std::byte>(size - 4);
    const OpenUnit unit = unit_with_lines({}, section);
    if (const auto header = read_line_header(*unit, 0)) EXPECT_LE(LineTable::run(*unit, *header).rows().size(), 2u);
  }
}

TEST(LinePaths, AreJoinedOfFolderAndFile) {
  const DwarfWriter dwarf;
  ByteBuffer tables;
  tables.ended_text("include", 1).ended_text("/usr/include/", 1).zeros(1);
  const std::pair<const char*, u8> files[] = {{"a.c", 0}, {"b.h", 1}, {"c.h", 2}, {"/opt/d.h", 1}, {"e.h", 9}};
  for (const auto& [name, folder] : files) tables.ended_text(name, 1).put(folder, 1).zeros(2);
  const OpenUnit unit = unit_with_lines({}, dwarf.lines({}, tables.zeros(1), ByteBuffer()));
  const auto header = read_line_header(*unit, 0);
  ASSERT_TRUE(header);
  ASSERT_EQ(header->files.size(), 6u);
  EXPECT_EQ(header->path(0, "/src"), "") << "numbers begin at 1";
  EXPECT_EQ(header->path(1, "/src"), "/src/a.c");
  EXPECT_EQ(header->path(1, ""), "a.c");
  EXPECT_EQ(header->path(2, "/src/"), "/src/include/b.h");
  EXPECT_EQ(header->path(3, "/src"), "/usr/include/c.h");
  EXPECT_EQ(header->path(4, "/src"), "/opt/d.h");
  EXPECT_EQ(header->path(5, "/src"), "/src/e.h") << "there is no folder 9";
  EXPECT_EQ(header->path(6, "/src"), "");
  EXPECT_EQ(header->path(~u64{0}, "/src"), "");
}

// DWARF 5 tables: each states which fields its entries have, and in which forms.
ByteBuffer new_tables(const DwarfWriter& dwarf) {
  ByteBuffer tables = dwarf.buffer();
  const unsigned offset = dwarf.offset_size();
  tables.put(1, 1).put(1, 1).put(0x1f, 1);               // directories: path as an offset in .debug_line_str
  tables.put(2, 1).put(0, offset).put(5, offset);        // /src, include
  tables.put(4, 1);                                      // files: four fields
  tables.put(1, 1).put(0x08, 1).put(2, 1).put(0x0b, 1);  // path as text, directory in one byte
  tables.put(5, 1).put(0x1e, 1);                         // MD5
  tables.put(0x81, 1).put(0x40, 1).put(0x0f, 1);         // a vendor-defined number
  tables.put(3, 1);
  const std::pair<const char*, u8> files[] = {{"a.c", 0}, {"b.h", 1}, {"/c.h", 1}};
  for (const auto& [name, folder] : files) tables.ended_text(name, 1).put(folder, 1).zeros(16).put(0x80, 1).put(1, 1);
  return tables;
}

TEST(LinePaths, OfDwarf5BeginWithTheCompilationFolder) {
  using namespace std::string_view_literals;
  for (const bool dwarf_64 : {false, true}) {
    const DwarfShape shape{.version = 5, .dwarf_64 = dwarf_64};
    const DwarfWriter dwarf(shape);
    const Instructions program = Instructions().set_address(0x11000).file(0).row().advance(1).end();
    const OpenUnit unit = unit_with_lines(shape, dwarf.lines({}, new_tables(dwarf), program.bytes()),
                                          {{".debug_line_str", ByteBuffer().text("/src\0include\0"sv).bytes()}});
    const auto header = read_line_header(*unit, 0);
    ASSERT_TRUE(header) << header.error().message;
    EXPECT_EQ(header->format.version, 5);
    ASSERT_EQ(header->files.size(), 3u);
    EXPECT_EQ(header->path(0, "/src"), "/src/a.c") << "numbers begin at 0";
    EXPECT_EQ(header->path(1, "/src"), "/src/include/b.h");
    EXPECT_EQ(header->path(2, "/src"), "/c.h");
    EXPECT_EQ(rows_text(LineTable::run(*unit, *header)), "11000:1 11001:- ");
  }
}

// A table can claim 2^63 entries of size zero: without fields, or with only a flag as a field.
TEST(LineHead, EndsATableWhoseEntriesTakeNoBytes) {
  for (const std::initializer_list<u8> fields : {std::initializer_list<u8>{0}, {1, 1, 0x19}}) {
    const DwarfShape shape{.version = 5};
    const DwarfWriter dwarf(shape);
    ByteBuffer tables = dwarf.buffer();
    for (int table = 0; table < 2; ++table) {
      for (const u8 byte : fields) tables.put(byte, 1);
      put_uleb(tables, u64{1} << 63);
    }
    const OpenUnit unit = unit_with_lines(shape, dwarf.lines({}, tables, Instructions().row().end().bytes()));
    const auto header = read_line_header(*unit, 0);
    ASSERT_TRUE(header) << header.error().message;
    EXPECT_TRUE(header->directories.empty());
    EXPECT_TRUE(header->files.empty());
  }
}

TEST(LinePaths, MayBeNumberedFreelyByAProgram) {
  const DwarfWriter dwarf;
  const Instructions program = Instructions().set_address(0x11000).file(~u64{0}).row().advance(1).end();
  const OpenUnit unit = unit_with_lines({}, dwarf.lines({}, old_tables(dwarf), program.bytes()));
  const auto header = read_line_header(*unit, 0);
  ASSERT_TRUE(header);
  const LineTable table = LineTable::run(*unit, *header);
  ASSERT_NE(table.find(0x11000), nullptr) << "a huge number does not pass for a gap";
  EXPECT_EQ(header->path(table.find(0x11000)->file, "/src"), "");
}

}  // namespace
}  // namespace peregrine
