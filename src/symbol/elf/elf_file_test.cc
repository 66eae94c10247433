#include "symbol/elf/elf_file.h"

#include <elf.h>
#include <gtest/gtest.h>

#include <random>
#include <utility>

#include "support/elf_image.h"
#include "symbol/elf/build_id.h"

namespace peregrine {
namespace {

struct ElfShape {
  bool is_64;
  ByteOrder order;
};

class ElfShapes : public ::testing::TestWithParam<ElfShape> {
 protected:
  ElfImage image() const {
    ElfImage image;
    image.is_64 = GetParam().is_64;
    image.order = GetParam().order;
    image.build_id = "\x01\x02\x03\x04\x05\x06\x07\x08";
    image.debug_link = "prog.debug";
    image.debug_link_crc = 0x12345678;
    image.symtab = {{.name = "main", .value = 0x11100, .size = 0x40}, {.name = "next", .value = 0x11140, .size = 8}};
    return image;
  }
};

TEST_P(ElfShapes, ReadsHeadersNotesAndLink) {
  auto file = ElfFile::from_bytes(image().bytes(), "image");
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_EQ(file->is_64(), GetParam().is_64);
  EXPECT_EQ(file->order(), GetParam().order);
  EXPECT_EQ(file->machine(), EM_X86_64);
  EXPECT_EQ(file->build_id().hex(), "0102030405060708");
  ASSERT_TRUE(file->debug_link());
  EXPECT_EQ(file->debug_link()->file_name, "prog.debug");
  EXPECT_EQ(file->debug_link()->crc, 0x12345678u);
  ASSERT_NE(file->find_section(".text"), nullptr);
  EXPECT_EQ(file->find_section(".text")->address, 0x11000u);
  EXPECT_EQ(file->file_offset(0x11100), 0x1100u);
  EXPECT_EQ(file->virtual_address(0x1100), 0x11100u);
  EXPECT_FALSE(file->file_offset(0x12000));
  EXPECT_TRUE(file->has_symtab());
  EXPECT_FALSE(file->has_dynsym());
}

TEST_P(ElfShapes, SymbolsLieAtFileOffsets) {
  auto file = ElfFile::from_bytes(image().bytes(), "image");
  ASSERT_TRUE(file);
  auto table = load_elf_symbols(*file);
  ASSERT_TRUE(table);
  ASSERT_EQ(table->size(), 2u);
  EXPECT_EQ(table->find(0x1100)->name, "main");
  EXPECT_EQ(table->find(0x113f)->name, "main");
  EXPECT_EQ(table->find(0x1147)->name, "next");
  EXPECT_FALSE(table->find(0x1148));
  auto virtual_table = load_elf_symbols(*file, ElfAddresses::Virtual);
  ASSERT_TRUE(virtual_table);
  EXPECT_EQ(virtual_table->find(0x11100)->name, "main");
}

TEST_P(ElfShapes, SurvivesBeingCutAnywhere) {
  const auto bytes = image().bytes();
  for (std::size_t size = 0; size < bytes.size(); size += size < 256 || size > 0x2000 ? 1 : 97) {
    auto file = ElfFile::from_bytes({bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size)}, "cut");
    if (!file) continue;
    (void)file->build_id();
    (void)file->debug_link();
    (void)load_elf_symbols(*file);
  }
}

TEST_P(ElfShapes, SurvivesFlippedBytes) {
  const auto bytes = image().bytes();
  std::mt19937 random(7);
  for (int round = 0; round < 3000; ++round) {
    auto flipped = bytes;
    for (int i = 0; i < 4; ++i) {
      std::size_t at = random() % (bytes.size() - 0x2000 + 128);
      if (at >= 128) at += 0x2000 - 128;  // .text itself contains nothing that can be damaged
      flipped[at] = static_cast<std::byte>(random());
    }
    auto file = ElfFile::from_bytes(std::move(flipped), "flipped");
    if (!file) continue;
    (void)file->build_id();
    (void)file->debug_link();
    (void)load_elf_symbols(*file);
  }
}

INSTANTIATE_TEST_SUITE_P(All, ElfShapes,
                         ::testing::Values(ElfShape{true, ByteOrder::Little}, ElfShape{true, ByteOrder::Big},
                                           ElfShape{false, ByteOrder::Little}, ElfShape{false, ByteOrder::Big}));

TEST(ElfFile, RejectsOtherFiles) {
  EXPECT_EQ(ElfFile::from_bytes({}, "empty").error().kind, ErrorKind::Malformed);
  EXPECT_EQ(ElfFile::from_bytes(std::vector<std::byte>(100), "zeroes").error().kind, ErrorKind::Malformed);
  EXPECT_EQ(ElfFile::open("/dev/null").error().kind, ErrorKind::Unsupported);
  EXPECT_EQ(ElfFile::open("/nonexistent").error().kind, ErrorKind::NotFound);
}

TEST(ElfFile, CrcIsThatOfDebugLinks) {
  // The CRC-32 of an otherwise empty file's header follows from the algorithm's definition.
  ElfImage image;
  auto file = ElfFile::from_bytes(image.bytes(), "image");
  ASSERT_TRUE(file);
  u32 crc = ~0u;
  for (const std::byte byte : image.bytes()) {
    crc ^= std::to_integer<u32>(byte);
    for (int bit = 0; bit < 8; ++bit) crc = (crc & 1) != 0 ? crc >> 1 ^ 0xedb88320u : crc >> 1;
  }
  EXPECT_EQ(*file->crc(), ~crc);
}

TEST(ElfFile, ReadsItself) {
  auto file = ElfFile::open("/proc/self/exe");
  ASSERT_TRUE(file) << file.error().message;
  auto table = load_elf_symbols(*file);
  ASSERT_TRUE(table);
  EXPECT_FALSE(table->find_name("main").empty());
}

TEST(BuildIdNote, SkipsOtherNotes) {
  ByteWriter notes;
  notes.put32(4).put32(5).put32(1).append(std::string_view("GNU\0", 4)).append(std::string_view("abcde")).align(4);
  notes.put32(6).put32(4).put32(3).append(std::string_view("Linux\0\0\0", 8)).put32(1);
  notes.put32(4)
      .put32(3)
      .put32(NT_GNU_BUILD_ID)
      .append(std::string_view("GNU\0", 4))
      .append(std::string_view("\xaa\xbb\xcc"));
  EXPECT_EQ(find_build_id_note(notes.bytes(), kHostOrder).hex(), "aabbcc");
  EXPECT_TRUE(find_build_id_note(notes.bytes().subspan(0, notes.size() - 1), kHostOrder).empty());
}

}  // namespace
}  // namespace peregrine
