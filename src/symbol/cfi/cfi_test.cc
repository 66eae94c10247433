// Compiles the bytes of .eh_frame and .debug_frame to rules by address.
#include <elf.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/file/piece_file.h"
#include "base/types.h"
#include "support/elf_image.h"
#include "symbol/cfi/cfi_program.h"
#include "symbol/cfi/cfi_section.h"
#include "symbol/cfi/cfi_table.h"
#include "symbol/cfi/cfi_table_builder.h"
#include "symbol/cfi/cfi_table_image.h"
#include "symbol/cfi/compile_cfi.h"
#include "symbol/elf/elf_file.h"

namespace peregrine {
namespace {

constexpr u64 kSection = 0x400000;
constexpr u8 kPcRelative32 = 0x1b;

std::string leb(u64 value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7) bytes += static_cast<char>(value | 0x80);
  return bytes + static_cast<char>(value);
}

// def_cfa rsp+8, return address at CFA-8.
const std::string kEntry = std::string("\x0c\x07\x08\x90\x01", 5);

// A section of CIEs and FDEs, written entry by entry.
struct SectionBytes {
  CfiFormat format = CfiFormat::EhFrame;
  bool wide = false;  // 64-bit DWARF
  ByteWriter bytes{ByteOrder::Little};
  std::size_t cie_at = 0;

  std::size_t open() {
    if (wide)
      bytes.put32(0xffffffffu).put64(0);
    else
      bytes.put32(0);
    return bytes.size();
  }
  void close(std::size_t from) {
    bytes.align(8);
    if (wide)
      bytes.patch(from - 8, u64{bytes.size() - from});
    else
      bytes.patch(from - 4, static_cast<u32>(bytes.size() - from));
  }
  void put_id(std::size_t from, bool cie) {
    if (format == CfiFormat::EhFrame)
      bytes.put32(cie ? 0 : static_cast<u32>(from - cie_at));
    else if (wide)
      bytes.put64(cie ? ~u64{0} : cie_at);
    else
      bytes.put32(cie ? 0xffffffffu : static_cast<u32>(cie_at));
  }
  // `augmentation` and its data (without the length that 'z' requires).
  void cie(u8 version, std::string_view augmentation, std::string_view data, std::string_view instructions) {
    cie_at = bytes.size();
    const std::size_t from = open();
    put_id(from, true);
    bytes.put8(version).append(augmentation).put8(0);
    if (version == 4) bytes.put8(8).put8(0);
    bytes.append(leb(1)).put8(0x78);  // code 1, data -8
    bytes.put8(16);
    if (augmentation.starts_with('z')) bytes.append(leb(data.size())).append(data);
    bytes.append(instructions);
    close(from);
  }
  void fde(u64 start, u64 size, std::string_view instructions, bool relative = true) {
    const std::size_t from = open();
    put_id(from, false);
    if (relative) {
      bytes.put32(static_cast<u32>(start - (kSection + bytes.size()))).put32(static_cast<u32>(size)).put8(0);
    } else {
      bytes.put64(start).put64(size);
    }
    bytes.append(instructions);
    close(from);
  }
  CfiTable compile(u64* skipped = nullptr) const {
    CfiSource source{bytes.bytes(), format, ByteOrder::Little, 8, {.section = kSection}};
    CfiTableBuilder builder(ByteOrder::Little);
    CfiProgram program(source, builder);
    CfiSection section(source);
    u64 bad = section.each([&](const CfiCie& cie, const CfiFde& fde) { bad += program.run(cie, fde) ? 0 : 1; });
    if (skipped != nullptr) *skipped = bad;
    return builder.build();
  }
};

std::string rules_at(const CfiTable& table, u64 address) {
  const CfiRules* rules = table.find(address);
  if (rules == nullptr) return "none";
  std::string text = rules->cfa_register == CfiRules::kExpression
                         ? fmt::format("expr{}", table.expression(rules->cfa_value).size())
                         : fmt::format("r{}+{}", rules->cfa_register, rules->cfa_value);
  constexpr std::string_view kKinds = "=uo+r@x";
  for (const CfiRegisterRule& rule : table.registers(*rules)) {
    text += fmt::format(" r{}{}{}", rule.reg, kKinds[static_cast<std::size_t>(rule.kind)], rule.value);
  }
  return text + (rules->signal_frame ? " S" : "");
}

SectionBytes ordinary() {
  SectionBytes section;
  section.cie(1, "zR", std::string(1, kPcRelative32), kEntry);
  return section;
}

TEST(Cfi, FollowsPushesOfAFunction) {
  SectionBytes section = ordinary();
  // push rbp (1 byte); mov rbp, rsp (3 bytes); … leave; ret at 0x20
  section.fde(0x401000, 0x40, "\x41\x0e\x10\x86\x02\x43\x0d\x06\x5c\x0c\x07\x08");
  const CfiTable table = section.compile();
  EXPECT_EQ(rules_at(table, 0x400fff), "none");
  EXPECT_EQ(rules_at(table, 0x401000), "r7+8 r16o-8");
  EXPECT_EQ(rules_at(table, 0x401001), "r7+16 r6o-16 r16o-8");
  EXPECT_EQ(rules_at(table, 0x401003), "r7+16 r6o-16 r16o-8");
  EXPECT_EQ(rules_at(table, 0x401004), "r6+16 r6o-16 r16o-8");
  EXPECT_EQ(rules_at(table, 0x401020), "r7+8 r6o-16 r16o-8");
  EXPECT_EQ(rules_at(table, 0x40103f), "r7+8 r6o-16 r16o-8");
  EXPECT_EQ(rules_at(table, 0x401040), "none");
}

TEST(Cfi, RemembersAndRestores) {
  SectionBytes section = ordinary();
  section.fde(0x1000, 0x40, "\x41\x0e\x20\x83\x04\x0a\x41\x0e\x08\xc3\x41\x0b\x41\x08\x03");
  const CfiTable table = section.compile();
  EXPECT_EQ(rules_at(table, 0x1001), "r7+32 r3o-32 r16o-8");
  EXPECT_EQ(rules_at(table, 0x1002), "r7+8 r16o-8");  // restore: the CIE has no rule for r3
  EXPECT_EQ(rules_at(table, 0x1003), "r7+32 r3o-32 r16o-8");
  EXPECT_EQ(rules_at(table, 0x1004), "r7+32 r16o-8");
}

TEST(Cfi, KeepsExpressionsAside) {
  SectionBytes section = ordinary();
  section.fde(0x1000, 0x10, "\x0f\x03\x77\x08\x06\x10\x06\x02\x76\x00");
  section.fde(0x2000, 0x10, "\x0f\x03\x77\x08\x06");
  const CfiTable table = section.compile();
  EXPECT_EQ(rules_at(table, 0x1000), "expr3 r6@1 r16o-8");
  EXPECT_EQ(rules_at(table, 0x2000), "expr3 r16o-8");
  EXPECT_EQ(table.find(0x1000)->cfa_value, table.find(0x2000)->cfa_value);
}

// Thousands of FDEs may share a CIE with many expressions: its instructions are executed only once.
TEST(Cfi, ExecutesTheInstructionsOfACieOnce) {
  SectionBytes section;
  std::string instructions = kEntry;
  for (u8 reg = 0; reg < 20; ++reg) {
    instructions += "\x10" + leb(reg) + leb(1000);
    instructions += std::string(999, '\x96') + static_cast<char>('a' + reg);
  }
  section.cie(1, "zR", std::string(1, kPcRelative32), instructions);
  for (u64 i = 0; i < 1000; ++i) section.fde(0x1000 + 16 * i, 16, "");
  const CfiTable table = section.compile();
  EXPECT_LT(table.byte_size(), 100'000u) << "not 20 MB";
  EXPECT_EQ(rules_at(table, 0x1000), rules_at(table, 0x1000 + 16 * 999));
}

TEST(CfiTableBuilder, RefusesExpressionsBeyondItsLimit) {
  CfiTableBuilder builder(ByteOrder::Little);
  std::vector<std::byte> bytes(u64{1} << 20);
  for (u32 i = 0; i < 64; ++i) {
    bytes[0] = static_cast<std::byte>(i);
    ASSERT_EQ(builder.expression(bytes), static_cast<i32>(i));
  }
  EXPECT_EQ(builder.expression(bytes), 63) << "a known one";
  bytes[0] = std::byte{64};
  EXPECT_EQ(builder.expression(bytes), std::nullopt);
}

TEST(Cfi, MarksSignalFramesAndReadsPastOtherAugmentations) {
  SectionBytes section;
  const std::string data = std::string("\x03\x11\x22\x33\x44\x1b\x1b", 7);  // personality as udata4, LSDA, FDE encoding
  section.cie(1, "zPLRS", data, kEntry);
  section.fde(0x1000, 0x10, "");
  EXPECT_EQ(rules_at(section.compile(), 0x1000), "r7+8 r16o-8 S");
}

TEST(Cfi, ReadsDebugFrameOfEveryVersionAndLength) {
  for (const u8 version : {1, 3, 4}) {
    for (const bool wide : {false, true}) {
      SectionBytes section{.format = CfiFormat::DebugFrame, .wide = wide};
      section.cie(version, "", "", kEntry);
      section.fde(0x1000, 0x10, "\x41\x0e\x10", false);
      const CfiTable table = section.compile();
      EXPECT_EQ(rules_at(table, 0x1000), "r7+8 r16o-8") << int(version) << wide;
      EXPECT_EQ(rules_at(table, 0x1001), "r7+16 r16o-8") << int(version) << wide;
    }
  }
}

TEST(Cfi, SkipsInvalidInstructionsAndContinues) {
  SectionBytes section = ordinary();
  section.fde(0x1000, 0x10, "\x41\x3e");                                  // unknown instruction after one row
  section.fde(0x2000, 0x10, "\x0b");                                      // restores a state that was never remembered
  section.fde(0x3000, 0x10, "\x0e\xff\xff\xff\xff\xff\xff\xff\xff\x7f");  // a 63-bit offset
  section.fde(0x4000, 0x10, "");
  u64 skipped = 0;
  const CfiTable table = section.compile(&skipped);
  EXPECT_EQ(skipped, 0u);  // each() counts entries only
  EXPECT_EQ(rules_at(table, 0x1000), "r7+8 r16o-8");
  EXPECT_EQ(rules_at(table, 0x2000), "none");
  EXPECT_EQ(rules_at(table, 0x3000), "none");
  EXPECT_EQ(rules_at(table, 0x4000), "r7+8 r16o-8");
  SectionBytes broken;
  broken.cie(9, "", "", kEntry);  // an unknown version
  broken.fde(0x1000, 0x10, "");
  EXPECT_EQ(rules_at(broken.compile(&skipped), 0x1000), "none");
  EXPECT_EQ(skipped, 1u);
}

TEST(Cfi, EndsWhereTheNextEntryCannotBeFound) {
  SectionBytes section = ordinary();
  section.fde(0x1000, 0x10, "");
  section.bytes.put32(0x7fffffff).put32(0);
  u64 skipped = 0;
  EXPECT_EQ(rules_at(section.compile(&skipped), 0x1000), "r7+8 r16o-8");
  EXPECT_EQ(skipped, 1u);
}

TEST(CfiTableBuilder, LetsTheFirstOfOverlappingRunsHold) {
  CfiTableBuilder builder(ByteOrder::Little);
  const auto add = [&](u64 start, u64 size, i32 offset) {
    CfiState state;
    state.cfa_register = 7;
    state.cfa_value = offset;
    builder.begin(start, size);
    builder.row(start, state, 16, false);
    builder.end();
  };
  add(0x1010, 0x20, 2);
  add(0x1000, 0x18, 1);
  add(0x1000, 0x100, 3);  // starts at the same address as an earlier one
  add(0x2000, 0x10, 1);
  const CfiTable table = builder.build();
  EXPECT_EQ(rules_at(table, 0x1017), "r7+1");
  EXPECT_EQ(rules_at(table, 0x1018), "r7+3");
  EXPECT_EQ(rules_at(table, 0x10ff), "r7+3");
  EXPECT_EQ(rules_at(table, 0x1100), "none");
  EXPECT_EQ(rules_at(table, 0x2000), "r7+1");
  EXPECT_EQ(table.set_count(), 3u);
}

std::optional<CfiTable> read_back(const std::string& image, u64 sources) {
  PieceReader reader(image);
  return CfiTableImage::decode(reader, sources);
}

// Rules of all kinds: an expression, another register, a signal frame.
SectionBytes of_every_kind() {
  SectionBytes section;
  section.cie(1, "zRS", std::string(1, kPcRelative32), kEntry);
  section.fde(0x401000, 0x40, "\x41\x0e\x10\x86\x02\x43\x0d\x06\x09\x03\x02\x5c\x0f\x02\x77\x08");
  section.fde(0x901000, 0x10, "\x10\x06\x02\x77\x10");
  return section;
}

TEST(CfiTableImage, GivesBackTheSameRules) {
  const CfiTable table = of_every_kind().compile();
  const auto again = read_back(CfiTableImage::encode(table, 5), 5);
  ASSERT_TRUE(again);
  for (u64 address = 0x400ff0; address < 0x401060; ++address)
    EXPECT_EQ(rules_at(*again, address), rules_at(table, address)) << address;
  EXPECT_NE(rules_at(table, 0x901004), "none");
  EXPECT_EQ(rules_at(*again, 0x901004), rules_at(table, 0x901004));
  EXPECT_EQ(again->row_count(), table.row_count());
  EXPECT_EQ(again->set_count(), table.set_count());
}

const std::string& of_nothing() {
  static const std::string image = CfiTableImage::encode(CfiTableBuilder(ByteOrder::Little).build(), 5);
  return image;
}

TEST(CfiTableImage, RefusesOtherSourcesAndEveryDamage) {
  const std::string whole = CfiTableImage::encode(of_every_kind().compile(), 5);
  EXPECT_FALSE(read_back(whole, 6));
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x41);
    EXPECT_FALSE(read_back(damaged, 5)) << at;
    EXPECT_FALSE(read_back(whole.substr(0, at), 5)) << at;
  }
}

// The checksum is valid, but the file was made by someone else: one row, one set with one register rule.
std::string forged(u32 last_set, u8 cfa_register, u8 return_register, u8 rules, u64 rule) {
  PieceWriter writer;
  PieceReader real(of_nothing());
  writer.put(real.get64());
  for (const u64 word : {u64{5}, u64{0x1000}, u64{0}, u64{0}, u64{2}, u64{1}, u64{1}, u64{0}, u64{0}}) writer.put(word);
  writer.put_all(std::vector<u32>{0, 0, 0x10, last_set});
  writer.put_all(std::vector<u8>{8, 0, 0, 0, 0, 0, 0, 0, cfa_register, return_register, 0, rules});
  writer.put_all(std::vector<u64>{rule});
  for (int none = 0; none < 2; ++none) writer.put_all(std::vector<u8>());
  return writer.finish();
}

TEST(CfiTableImage, RefusesWhatPointsOutside) {
  constexpr u32 kNone = 0xffffffffu;
  constexpr u64 kSaved = (u64{0xfffffff8u} << 32) | (u64{2} << 8) | 16, kIn = u64{4} << 8, kAtExpression = u64{5} << 8;
  const auto holds = [](const std::string& file) { return read_back(file, 5).has_value(); };
  ASSERT_TRUE(holds(forged(kNone, 7, 16, 1, kSaved)));
  EXPECT_FALSE(holds(forged(1, 7, 16, 1, kSaved))) << "no such set";
  EXPECT_FALSE(holds(forged(0, 7, 16, 1, kSaved))) << "code without an end";
  EXPECT_FALSE(holds(forged(kNone, kCfiRegisters, 16, 1, kSaved)));
  EXPECT_FALSE(holds(forged(kNone, CfiRules::kExpression, 16, 1, kSaved))) << "no such expression";
  EXPECT_FALSE(holds(forged(kNone, 7, kCfiRegisters, 1, kSaved)));
  EXPECT_FALSE(holds(forged(kNone, 7, 16, 2, kSaved))) << "more rules than there are";
  EXPECT_FALSE(holds(forged(kNone, 7, 16, 1, kSaved | 0xff)));
  EXPECT_FALSE(holds(forged(kNone, 7, 16, 1, kSaved | 0xff00))) << "no such kind";
  EXPECT_TRUE(holds(forged(kNone, 7, 16, 1, kIn | (u64{6} << 32) | 16)));
  EXPECT_FALSE(holds(forged(kNone, 7, 16, 1, kIn | (u64{200} << 32) | 16)));
  EXPECT_FALSE(holds(forged(kNone, 7, 16, 1, kAtExpression | 16)));
}

TEST(CompileCfi, KnowsThePltThatHasNoCfi) {
  ElfImage image;
  image.dynsym = {{.name = "puts", .section = SHN_UNDEF}};
  image.plt = {1};
  const auto file = ElfFile::from_bytes(image.bytes(), "image");
  ASSERT_TRUE(file);
  const ElfSection* plt = file->find_section(".plt");
  ASSERT_NE(plt, nullptr);
  EXPECT_EQ(rules_at(compile_cfi(*file), plt->address), "r7+8 r16o-8");
}

// The C library of this machine: the output of a real linker and compiler.
TEST(CompileCfi, CoversARealLibrary) {
  auto file = ElfFile::open("/proc/self/exe");
  ASSERT_TRUE(file);
  const CfiTable table = compile_cfi(*file);
  EXPECT_GT(table.row_count(), 100u);
  EXPECT_EQ(table.skipped(), 0u);
  EXPECT_NE(table.find(file->entry()), nullptr);
}

}  // namespace
}  // namespace peregrine
