#include "symbol/dwarf/source_lines.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <initializer_list>
#include <random>
#include <utility>

#include "base/bytes.h"
#include "support/elf_image.h"
#include "symbol/dwarf/dwarf_constants.h"
#include "symbol/dwarf/range_map.h"

namespace peregrine {
namespace {

struct LineShape {
  ByteOrder order;
  bool is_64;     // addresses
  bool dwarf_64;  // offsets
};

// A DWARF 4 program in which main (a.c:10) inlines twice (a.c:5), and twice inlines once (b.h:2).
class Program {
 public:
  explicit Program(const LineShape& shape) : shape_(shape) {}

  static constexpr u64 kText = 0x11000;
  ElfImage image() const {
    ElfImage image;
    image.order = shape_.order;
    image.is_64 = shape_.is_64;
    image.text_address = kText;
    image.extra = {{".debug_abbrev", abbreviations()}, {".debug_info", entries()}, {".debug_line", lines()}};
    return image;
  }
  std::unique_ptr<SourceLines> open() const {
    auto file = ElfFile::from_bytes(image().bytes(), "image");
    EXPECT_TRUE(file);
    auto lines = SourceLines::open(std::move(*file));
    EXPECT_TRUE(lines) << lines.error().message;
    return lines ? std::move(*lines) : nullptr;
  }

 private:
  ByteWriter writer() const { return ByteWriter(shape_.order); }
  void put_address(ByteWriter& out, u64 value) const {
    shape_.is_64 ? out.put64(value) : out.put32(static_cast<u32>(value));
  }
  void put_offset(ByteWriter& out, u64 value) const {
    shape_.dwarf_64 ? out.put64(value) : out.put32(static_cast<u32>(value));
  }
  // A length, followed by the bytes that it counts.
  std::vector<std::byte> with_length(const ByteWriter& body) const {
    ByteWriter out = writer();
    if (shape_.dwarf_64) out.put32(0xffffffff);
    put_offset(out, body.size());
    return out.append(body.bytes()).take();
  }
  static void abbreviation(ByteWriter& out, u8 code, DwarfTag tag, bool children,
                           const std::vector<std::pair<DwarfAttribute, DwarfForm>>& attributes) {
    out.put8(code).put8(static_cast<u8>(tag)).put8(children ? 1 : 0);
    for (const auto& [attribute, form] : attributes) out.put8(static_cast<u8>(attribute)).put8(static_cast<u8>(form));
    out.put8(0).put8(0);
  }

  std::vector<std::byte> abbreviations() const {
    using enum DwarfAttribute;
    ByteWriter out = writer();
    abbreviation(out, 1, DwarfTag::CompileUnit, true,
                 {{CompilationFolder, DwarfForm::Text},
                  {StatementList, DwarfForm::SectionOffset},
                  {LowPc, DwarfForm::Address},
                  {HighPc, DwarfForm::Data4}});
    abbreviation(out, 2, DwarfTag::Subprogram, false, {{Name, DwarfForm::Text}});
    abbreviation(out, 3, DwarfTag::Subprogram, true,
                 {{Name, DwarfForm::Text}, {LowPc, DwarfForm::Address}, {HighPc, DwarfForm::Data4}});
    abbreviation(out, 4, DwarfTag::InlinedSubroutine, true,
                 {{AbstractOrigin, DwarfForm::Reference4},
                  {LowPc, DwarfForm::Address},
                  {HighPc, DwarfForm::Data4},
                  {CallFile, DwarfForm::Data1},
                  {CallLine, DwarfForm::UnsignedData}});
    return out.put8(0).take();
  }

  std::vector<std::byte> entries() const {
    ByteWriter out = writer();
    out.put16(4);
    put_offset(out, 0);
    out.put8(shape_.is_64 ? 8 : 4);
    const u32 length_size = shape_.dwarf_64 ? 12 : 4;
    out.put8(1).append(std::string_view("/src\0", 5));
    put_offset(out, 0);
    put_address(out, kText);
    out.put32(0x40);
    const u32 once = length_size + static_cast<u32>(out.size());
    out.put8(2).append(std::string_view("once\0", 5));
    const u32 twice = length_size + static_cast<u32>(out.size());
    out.put8(2).append(std::string_view("twice\0", 6));
    out.put8(3).append(std::string_view("main\0", 5));
    put_address(out, kText);
    out.put32(0x40);
    out.put8(4).put32(twice);
    put_address(out, kText + 0x10);
    out.put32(0x20).put8(1).put8(10);
    out.put8(4).put32(once);
    put_address(out, kText + 0x18);
    out.put32(8).put8(1).put8(5);
    out.put8(0).put8(0).put8(0).put8(0);
    return with_length(out);
  }

  std::vector<std::byte> lines() const {
    ByteWriter header = writer();
    header.put8(1).put8(1).put8(1).put8(0xfb).put8(14).put8(13);
    for (const u8 operands : {0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1}) header.put8(operands);
    header.append(std::string_view("include\0\0", 9));
    header.append(std::string_view("a.c\0\0\0\0b.h\0\1\0\0\0", 15));
    ByteWriter out = writer();
    out.put16(4);
    put_offset(out, header.size());
    out.append(header.bytes());
    out.put8(0).put8(shape_.is_64 ? 9 : 5).put8(2);
    put_address(out, kText);
    out.put8(3).put8(8).put8(1);                                             // line 9 at +0
    out.put8(2).put8(0x10).put8(3).put8(0x7b).put8(1);                       // line 4 at +0x10
    out.put8(4).put8(2).put8(2).put8(8).put8(3).put8(0x7e).put8(1);          // b.h:2 at +0x18
    out.put8(4).put8(1).put8(6).put8(static_cast<u8>(13 + 5 + 3 + 14 * 8));  // a.c:5 at +0x20, not a statement
    out.put8(2).put8(0x20).put8(0).put8(1).put8(1);                          // ends at +0x40
    return with_length(out);
  }

  LineShape shape_;
};

class Lines : public ::testing::TestWithParam<LineShape> {};

std::string place(const SourceLines& lines, const SourceLine& at) {
  return at ? fmt::format("{}:{}", lines.file_path(at.file), at.line) : "?";
}

TEST_P(Lines, FindsTheRowThatCoversAnAddress) {
  const auto lines = Program(GetParam()).open();
  ASSERT_NE(lines, nullptr);
  const auto at = [&](u64 offset) { return place(*lines, lines->find(Program::kText + offset)); };
  EXPECT_EQ(at(0), "/src/a.c:9");
  EXPECT_EQ(at(0xf), "/src/a.c:9");
  EXPECT_EQ(at(0x10), "/src/a.c:4");
  EXPECT_EQ(at(0x18), "/src/include/b.h:2");
  EXPECT_EQ(at(0x3f), "/src/a.c:5");
  EXPECT_EQ(at(0x40), "?");
  EXPECT_EQ(place(*lines, lines->find(Program::kText - 1)), "?");
}

TEST_P(Lines, NamesInlinedFunctionsInnermostFirst) {
  const auto lines = Program(GetParam()).open();
  ASSERT_NE(lines, nullptr);
  const auto at = [&](u64 offset) {
    std::vector<SourceFrame> frames;
    lines->frames(Program::kText + offset, frames);
    std::string text;
    for (const SourceFrame& frame : frames) text += fmt::format("{} {}\n", frame.function, place(*lines, frame.at));
    return text;
  };
  EXPECT_EQ(at(0), "main /src/a.c:9\n");
  EXPECT_EQ(at(0x10), "twice /src/a.c:4\nmain /src/a.c:10\n");
  EXPECT_EQ(at(0x1f), "once /src/include/b.h:2\ntwice /src/a.c:5\nmain /src/a.c:10\n");
  EXPECT_EQ(at(0x20), "twice /src/a.c:5\nmain /src/a.c:10\n");
  EXPECT_EQ(at(0x30), "main /src/a.c:5\n");
  EXPECT_EQ(at(0x40), "");
}

TEST_P(Lines, ListsTheRowsBetweenTwoAddresses) {
  const auto lines = Program(GetParam()).open();
  ASSERT_NE(lines, nullptr);
  std::string text;
  for (const LineRow& row : lines->rows(Program::kText + 0x14, Program::kText + 0x21))
    text += fmt::format("{:x} {} {}\n", row.address, place(*lines, row.at), row.is_statement);
  EXPECT_EQ(text, "11010 /src/a.c:4 true\n11018 /src/include/b.h:2 true\n11020 /src/a.c:5 false\n");
}

INSTANTIATE_TEST_SUITE_P(Shapes, Lines,
                         ::testing::Values(LineShape{ByteOrder::Little, true, false},
                                           LineShape{ByteOrder::Little, true, true},
                                           LineShape{ByteOrder::Little, false, false},
                                           LineShape{ByteOrder::Big, true, false},
                                           LineShape{ByteOrder::Big, false, true}));

TEST(SourceLines, SurviveAnyDamage) {
  const auto whole = Program({ByteOrder::Little, true, false}).image().bytes();
  std::mt19937 random(4);
  for (unsigned round = 0; round < 2000; ++round) {
    auto bytes = whole;
    for (unsigned i = 0; i < 6; ++i)
      bytes[0x2000 + random() % (bytes.size() - 0x2000)] = static_cast<std::byte>(random());
    auto file = ElfFile::from_bytes(std::move(bytes), "image");
    if (!file) continue;
    const auto lines = SourceLines::open(std::move(*file));
    if (!lines) continue;
    std::vector<SourceFrame> frames;
    for (u64 offset = 0; offset < 0x48; offset += 8) {
      (*lines)->frames(Program::kText + offset, frames);
      EXPECT_LE((*lines)->rows(Program::kText + offset, Program::kText + 0x50).size(), 1000u);
    }
    EXPECT_LE(frames.size(), 1000u);
  }
}

TEST(SourceLines, SayWhenThereAreNone) {
  auto file = ElfFile::from_bytes(ElfImage().bytes(), "image");
  ASSERT_TRUE(file);
  const auto lines = SourceLines::open(std::move(*file));
  ASSERT_FALSE(lines);
  EXPECT_EQ(lines.error().kind, ErrorKind::NotFound);
}

TEST(RangeMap, HidesCallersBehindWhatIsInlined) {
  const RangeMap map = RangeMap::build({{10, 50, 0, 0}, {20, 30, 1, 1}, {22, 25, 2, 2}, {60, 70, 3, 0}});
  const auto owners = [&](std::initializer_list<u64> addresses) {
    std::vector<u32> result;
    for (const u64 address : addresses) result.push_back(map.find(address));
    return result;
  };
  constexpr u32 kNobody = RangeMap::kNobody;
  EXPECT_EQ(owners({9, 10, 20, 22, 25, 30, 49, 50, 60, 70}),
            (std::vector<u32>{kNobody, 0, 1, 2, 1, 0, 0, kNobody, 3, kNobody}));
}

TEST(RangeMap, GivesWhatOverlapsToTheFirst) {
  const RangeMap map = RangeMap::build({{10, 30, 0, 0}, {20, 40, 1, 0}, {25, 28, 2, 0}, {35, 50, 3, 0}});
  for (u64 address = 10; address < 50; ++address)
    EXPECT_EQ(map.find(address), address < 30 ? 0u : address < 40 ? 1u : 3u) << address;
}

}  // namespace
}  // namespace peregrine
