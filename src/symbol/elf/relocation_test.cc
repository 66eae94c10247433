// Relocations of debug information in unlinked files. The types and their numbers come from the processors' ELF
// ABIs.
#include "symbol/elf/relocation.h"

#include <elf.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/types.h"
#include "support/byte_buffer.h"
#include "support/elf_image.h"
#include "symbol/dwarf/dwarf_section.h"

namespace peregrine {
namespace {

using support::ByteBuffer;
using support::Endian;

constexpr u64 kPlaced = 0x11040;  // the symbol's address: 0x40 in .text

// An unlinked file with one relocation, at offset 4 of .debug_info.
struct OneRelocation {
  u16 machine = EM_X86_64;
  bool is_64 = true;
  ByteOrder order = ByteOrder::Little;
  u32 type = 1;
  std::optional<i64> addend = 0;  // if absent, it is in the relocated bytes
  u64 offset = 4;
  u32 symbol = 1;
  u16 symbol_section = 1;  // .text
  u16 file_type = ET_REL;
};

ElfFile relocated_file(const OneRelocation& one, const std::vector<std::byte>& debug_info) {
  ElfImage image;
  image.machine = one.machine;
  image.is_64 = one.is_64;
  image.order = one.order;
  image.type = one.file_type;
  image.symtab = {{.name = "f", .value = 0x40, .section = one.symbol_section}};
  const unsigned word = one.is_64 ? 8 : 4;
  ByteBuffer table(one.order == ByteOrder::Little ? Endian::Little : Endian::Big);
  table.put(one.offset, word).put(one.is_64 ? u64{one.symbol} << 32 | one.type : one.symbol << 8 | one.type, word);
  if (one.addend) table.put(static_cast<u64>(*one.addend), word);
  image.extra = {{".debug_info", debug_info},
                 {.name = ".rela.debug_info",
                  .contents = table.bytes(),
                  .type = one.addend ? u32{SHT_RELA} : u32{SHT_REL},
                  .link = ".symtab",
                  .info = ".debug_info"}};
  return *ElfFile::from_bytes(image.bytes(), "module.ko");
}

// The first 16 bytes of .debug_info, in hex, after relocation.
std::string relocated_bytes(const ElfFile& file) {
  const ElfSection& section = *file.find_section(".debug_info");
  auto bytes = *file.contents(section);
  relocate(file, section, bytes);
  std::string text;
  for (const std::byte byte : bytes) text += fmt::format("{:02x}", std::to_integer<unsigned>(byte));
  return text;
}

struct RelocationCase {
  const char* what;
  OneRelocation relocation;
  unsigned width;
  u64 result;
};

TEST(Relocation, ComputesWhatTheAbisSay) {
  constexpr ByteOrder kBig = ByteOrder::Big;
  constexpr u64 kBefore = 0x0101010101010101;
  const RelocationCase cases[] = {
      {"R_X86_64_64", {.type = 1, .addend = 8}, 8, kPlaced + 8},
      {"R_X86_64_PC32", {.type = 2, .addend = -4}, 4, kPlaced - 4 - 4},
      {"R_X86_64_32", {.type = 10, .addend = 0}, 4, kPlaced},
      {"R_X86_64_32S", {.type = 11, .addend = -0x40}, 4, kPlaced - 0x40},
      {"R_X86_64_PC64", {.type = 24, .addend = 0}, 8, kPlaced - 4},
      {"R_386_32", {EM_386, false, ByteOrder::Little, 1, std::nullopt}, 4, kPlaced + 0x01010101},
      {"R_386_PC32", {EM_386, false, ByteOrder::Little, 2, std::nullopt}, 4, kPlaced + 0x01010101 - 4},
      {"R_AARCH64_ABS64", {.machine = EM_AARCH64, .type = 257}, 8, kPlaced},
      {"R_AARCH64_ABS32", {.machine = EM_AARCH64, .type = 258}, 4, kPlaced},
      {"R_AARCH64_PREL64", {.machine = EM_AARCH64, .type = 260}, 8, kPlaced - 4},
      {"R_AARCH64_PREL32", {.machine = EM_AARCH64, .type = 261}, 4, kPlaced - 4},
      {"R_ARM_ABS32", {EM_ARM, false, ByteOrder::Little, 2, std::nullopt}, 4, kPlaced + 0x01010101},
      {"R_ARM_REL32", {EM_ARM, false, ByteOrder::Little, 3, 2}, 4, kPlaced + 2 - 4},
      {"R_PPC64_ADDR64", {EM_PPC64, true, kBig, 38, 2}, 8, kPlaced + 2},
      {"R_PPC64_REL32", {EM_PPC64, true, kBig, 26, 0}, 4, kPlaced - 4},
      {"R_390_64", {EM_S390, true, kBig, 22, 0}, 8, kPlaced},
      {"R_390_PC32", {EM_S390, true, kBig, 5, 0}, 4, kPlaced - 4},
      {"R_MIPS_32", {EM_MIPS, false, kBig, 2, std::nullopt}, 4, kPlaced + 0x01010101},
      {"R_RISCV_64", {.machine = EM_RISCV, .type = 2}, 8, kPlaced},
      {"R_RISCV_ADD8", {.machine = EM_RISCV, .type = 33}, 1, 0x41},
      {"R_RISCV_ADD32", {.machine = EM_RISCV, .type = 35, .addend = 1}, 4, 0x01010101 + kPlaced + 1},
      {"R_RISCV_SUB16", {.machine = EM_RISCV, .type = 38}, 2, (0x0101 - kPlaced) & 0xffff},
      {"R_RISCV_SUB64", {.machine = EM_RISCV, .type = 40}, 8, kBefore - kPlaced},
      {"R_RISCV_SET8", {.machine = EM_RISCV, .type = 54}, 1, 0x40},
      {"R_RISCV_SET16", {.machine = EM_RISCV, .type = 55}, 2, 0x1040},
  };
  for (const RelocationCase& one : cases) {
    SCOPED_TRACE(one.what);
    const bool little = one.relocation.order == ByteOrder::Little;
    ByteBuffer expected(little ? Endian::Little : Endian::Big);
    expected.put(kBefore, 4).put(one.result, one.width).put(kBefore, 8);
    for (unsigned i = one.width; i < 4; ++i) expected.put(1, 1);
    const std::vector<std::byte> before(16, std::byte{1});
    const ElfFile file = relocated_file(one.relocation, before);
    EXPECT_TRUE(is_relocated(file, *file.find_section(".debug_info")));
    std::string text;
    for (std::size_t i = 0; i < 12; ++i) text += fmt::format("{:02x}", std::to_integer<unsigned>(expected.bytes()[i]));
    EXPECT_EQ(relocated_bytes(file).substr(0, 24), text);
  }
}

TEST(Relocation, LeavesTheBytesWhereItCannotBeApplied) {
  const std::vector<std::byte> before(16, std::byte{0xee});
  const std::string untouched(32, 'e');
  const auto result = [&](const OneRelocation& one) { return relocated_bytes(relocated_file(one, before)); };
  EXPECT_NE(result({}), untouched);
  EXPECT_EQ(result({.type = 99}), untouched) << "an unknown type";
  EXPECT_EQ(result({.machine = EM_SPARCV9}), untouched) << "an unknown processor";
  EXPECT_EQ(result({.symbol = 2}), untouched) << "there is no symbol 2";
  EXPECT_EQ(result({.offset = 9}), untouched) << "eight bytes from 9 exceed the section";
  EXPECT_EQ(result({.offset = ~u64{0}}), untouched);
  EXPECT_NE(result({.offset = 8}), untouched) << "the last eight bytes";
  EXPECT_EQ(result({.file_type = ET_DYN}), untouched) << "a linked file is relocated already";
}

TEST(Relocation, OfSymbolsWithoutSectionTakesTheirValue) {
  const std::vector<std::byte> before(16);
  for (const u16 section : std::initializer_list<u16>{SHN_UNDEF, SHN_ABS, 99}) {
    const ElfFile file = relocated_file({.symbol_section = section}, before);
    EXPECT_EQ(relocated_bytes(file).substr(8, 16), "4000000000000000") << section;
  }
}

TEST(Relocation, FollowsTheSectionsToWhereTheKernelPutsThem) {
  const std::vector<std::byte> before(16);
  ElfFile file = relocated_file({.addend = 2}, before);
  file.place_as_module();
  EXPECT_EQ(relocated_bytes(file).substr(8, 16), "4200000000000000") << ".text is the first code of the module";
  ElfImage image;
  image.type = ET_REL;
  image.text_name = ".init.text";  // freed after initialization
  image.symtab = {{.name = "f", .value = 0x40}};
  ByteBuffer table;
  table.put64(4).put64(u64{1} << 32 | 1).put64(2);
  image.extra = {{".debug_info", before},
                 {.name = ".rela.debug_info",
                  .contents = table.bytes(),
                  .type = SHT_RELA,
                  .link = ".symtab",
                  .info = ".debug_info"}};
  ElfFile gone = *ElfFile::from_bytes(image.bytes(), "module.ko");
  gone.place_as_module();
  EXPECT_EQ(relocated_bytes(gone).substr(8, 16), "ffffffffffffffff") << "no address, so that nothing is found there";
}

TEST(Relocation, IsAppliedToSectionsOfDebugInformation) {
  const ElfFile file = relocated_file({.addend = 8}, std::vector<std::byte>(16));
  const SectionStorage storage(file, *file.find_section(".debug_info"));
  u64 value = 0;
  ASSERT_TRUE(DwarfSection(storage).read_number(4, 8, ByteOrder::Little, value));
  EXPECT_EQ(value, kPlaced + 8);
  EXPECT_TRUE(storage.in_memory());
}

}  // namespace
}  // namespace peregrine
