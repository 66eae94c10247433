// Unusual, damaged and hostile ELF headers, and sections of kernel modules.
#include <elf.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "base/types.h"
#include "support/elf_image.h"
#include "symbol/elf/elf_file.h"

namespace peregrine {
namespace {

// Offsets in the header of a 64-bit file.
constexpr std::size_t kClassAt = 4, kDataAt = 5, kSegmentsAt = 32, kSectionsAt = 40, kSegmentSizeAt = 54,
                      kSegmentCountAt = 56, kSectionSizeAt = 58, kSectionCountAt = 60, kNameSectionAt = 62;

template <class T>
void overwrite(std::vector<std::byte>& bytes, std::size_t at, T value) {
  ASSERT_LE(at + sizeof value, bytes.size());
  std::memcpy(bytes.data() + at, &value, sizeof value);
}
u64 number_at(const std::vector<std::byte>& bytes, std::size_t at) { return load<u64>(bytes.data() + at); }

ElfImage small_image() {
  ElfImage image;
  image.build_id = "\x12\x34\x56\x78";
  image.symtab = {{.name = "main", .value = 0x11000, .size = 8}};
  return image;
}

TEST(ElfHead, ErrorsSayWhatIsWrong) {
  const auto message = [](auto change) {
    std::vector<std::byte> bytes = small_image().bytes();
    change(bytes);
    const auto file = ElfFile::from_bytes(std::move(bytes), "x");
    if (file) return std::string("opened");
    EXPECT_EQ(file.error().kind, ErrorKind::Malformed);
    return file.error().message;
  };
  using Image = std::vector<std::byte>;
  EXPECT_EQ(message([](Image&) {}), "opened");
  EXPECT_EQ(message([](Image& bytes) { bytes.resize(3); }), "x: not an ELF file");
  EXPECT_EQ(message([](Image& bytes) { bytes[1] = std::byte{'e'}; }), "x: not an ELF file");
  EXPECT_EQ(message([](Image& bytes) { bytes.resize(63); }), "x: truncated ELF header");
  EXPECT_EQ(message([](Image& bytes) { bytes[kClassAt] = std::byte{3}; }), "x: unknown ELF class or byte order");
  EXPECT_EQ(message([](Image& bytes) { bytes[kDataAt] = std::byte{0}; }), "x: unknown ELF class or byte order");
  EXPECT_EQ(message([](Image& bytes) { overwrite(bytes, kSectionSizeAt, u16{63}); }), "x: invalid section table");
  EXPECT_EQ(message([](Image& bytes) { overwrite(bytes, kSegmentSizeAt, u16{55}); }),
            "x: invalid program header table");
  EXPECT_EQ(message([](Image& bytes) { overwrite(bytes, kSegmentsAt, ~u64{0}); }),
            "x: 56 bytes at offset 0xffffffffffffffff extend past the end of the file");
  EXPECT_EQ(message([](Image& bytes) { overwrite(bytes, kSectionsAt, u64{1} << 40); }).substr(0, 3), "x: ");
}

TEST(ElfHead, MayHaveNoSectionsOrNoSegments) {
  std::vector<std::byte> bytes = small_image().bytes();
  overwrite(bytes, kSectionsAt, u64{0});
  const auto no_sections = ElfFile::from_bytes(bytes, "x");
  ASSERT_TRUE(no_sections);
  EXPECT_TRUE(no_sections->sections().empty());
  EXPECT_EQ(no_sections->file_offset(0x11010), 0x1010u);
  bytes = small_image().bytes();
  overwrite(bytes, kSegmentsAt, u64{0});
  const auto no_segments = ElfFile::from_bytes(bytes, "x");
  ASSERT_TRUE(no_segments);
  EXPECT_EQ(no_segments->file_offset(0x11010), std::nullopt);
  EXPECT_EQ(no_segments->build_id().hex(), "12345678");
}

TEST(ElfHead, WithTooManySectionsKeepsTheirCountInTheFirst) {
  // As in files with 65,280 sections or more: the counts are in the size, link and info of section 0.
  std::vector<std::byte> bytes = small_image().bytes();
  const auto plain = ElfFile::from_bytes(bytes, "x");
  const u64 first = number_at(bytes, kSectionsAt);
  overwrite(bytes, first + 32, u64{plain->sections().size()});
  overwrite(bytes, first + 40, static_cast<u32>(plain->sections().size() - 1));
  overwrite(bytes, first + 44, u32{1});
  overwrite(bytes, kSectionCountAt, u16{0});
  overwrite(bytes, kNameSectionAt, u16{SHN_XINDEX});
  overwrite(bytes, kSegmentCountAt, u16{PN_XNUM});
  const auto file = ElfFile::from_bytes(bytes, "x");
  ASSERT_TRUE(file) << file.error().message;
  ASSERT_EQ(file->sections().size(), plain->sections().size());
  for (std::size_t i = 0; i < file->sections().size(); ++i)
    EXPECT_EQ(file->sections()[i].name, plain->sections()[i].name);
  EXPECT_EQ(file->segments().size(), 1u);
  overwrite(bytes, first + 32, u64{1} << 30);  // an impossible count
  EXPECT_EQ(ElfFile::from_bytes(bytes, "x").error().message, "x: invalid section table");
}

TEST(ElfHead, NamesNoSectionWhereTheNamesAreMissing) {
  std::vector<std::byte> bytes = small_image().bytes();
  overwrite(bytes, kNameSectionAt, u16{200});
  const auto file = ElfFile::from_bytes(bytes, "x");
  ASSERT_TRUE(file);
  EXPECT_EQ(file->find_section(".text"), nullptr);
  EXPECT_NE(file->find_section_of_type(SHT_SYMTAB), nullptr);
  EXPECT_EQ(file->find_section_of_type(SHT_DYNSYM), nullptr);
}

TEST(ElfNotes, OfStrippedFilesAreFoundBySegment) {
  std::vector<std::byte> bytes = small_image().bytes();
  const ElfSection note = *ElfFile::from_bytes(bytes, "x")->find_section(".note.gnu.build-id");
  overwrite(bytes, kSectionsAt, u64{0});
  const std::size_t segment = number_at(bytes, kSegmentsAt);
  overwrite(bytes, segment, u32{PT_NOTE});
  overwrite(bytes, segment + 8, note.offset);
  overwrite(bytes, segment + 32, note.size);
  EXPECT_EQ(ElfFile::from_bytes(bytes, "x")->build_id().hex(), "12345678");
  overwrite(bytes, segment + 32, note.size - 1);
  EXPECT_TRUE(ElfFile::from_bytes(bytes, "x")->build_id().empty()) << "cut off";
  overwrite(bytes, segment + 8, ~u64{0});
  EXPECT_TRUE(ElfFile::from_bytes(bytes, "x")->build_id().empty()) << "beyond the file";
}

TEST(ElfDebugLink, NeedsANameAndAChecksum) {
  const auto link_of = [](std::string_view contents) {
    ElfImage image;
    const Bytes bytes = std::as_bytes(std::span(contents));
    image.extra = {{".gnu_debuglink", {bytes.begin(), bytes.end()}}};
    const auto link = ElfFile::from_bytes(image.bytes(), "x")->debug_link();
    return link ? fmt::format("{} {:x}", link->file_name, link->crc) : "none";
  };
  using namespace std::string_view_literals;
  EXPECT_EQ(link_of("abc\0\x78\x56\x34\x12"sv), "abc 12345678");
  EXPECT_EQ(link_of("abcd\0\0\0\0\x78\x56\x34\x12"sv), "abcd 12345678") << "the checksum is aligned";
  EXPECT_EQ(link_of("abcd\0\0\0\0\x78\x56\x34"sv), "none");
  EXPECT_EQ(link_of("\0\0\0\0\x78\x56\x34\x12"sv), "none") << "no name";
  EXPECT_EQ(link_of("abcdefgh"sv), "none") << "no end of the name";
  EXPECT_EQ(link_of("abc"sv), "none");
}

TEST(ElfContents, ReachAsFarAsTheFile) {
  const auto file = ElfFile::from_bytes(small_image().bytes(), "x");
  const u64 size = file->file_size();
  EXPECT_EQ(file->read(size, 0)->size(), 0u);
  EXPECT_EQ(file->read(size - 1, 1)->size(), 1u);
  EXPECT_EQ(file->read(size, 1).error().message,
            fmt::format("x: 1 bytes at offset {:#x} extend past the end of the file", size));
  EXPECT_FALSE(file->read(~u64{0}, 2)) << "the sum wraps";
  EXPECT_FALSE(file->read(0, ~u64{0}));
  EXPECT_EQ(file->contents({.type = SHT_NOBITS, .offset = size, .size = 100})->size(), 0u);
  EXPECT_EQ(file->text({.type = SHT_NOBITS, .offset = size, .size = 100}), "");
  EXPECT_FALSE(file->text({.type = SHT_STRTAB, .offset = size, .size = 100}));
  EXPECT_FALSE(file->read_failed()) << "a wrong offset is no failure of the machine";
}

TEST(ElfModules, ArePlacedAsTheKernelLaysThemOut) {
  constexpr u64 kCode = SHF_ALLOC | SHF_EXECINSTR;
  ElfImage image;
  image.type = ET_REL;
  const std::vector<std::byte> ten(10, std::byte{1});
  image.extra = {{".text.unlikely", ten, kCode},
                 {".init.text", ten, kCode},
                 {".data", ten, SHF_ALLOC},
                 {".text.last", ten, kCode},
                 {".debug_info", ten, 0}};
  auto file = ElfFile::from_bytes(image.bytes(), "x.ko");
  file->place_as_module();
  const auto address = [&](std::string_view name) { return file->find_section(name)->address; };
  EXPECT_EQ(address(".text"), 0u);
  EXPECT_EQ(address(".text.unlikely"), ElfImage::kTextSize);
  EXPECT_EQ(address(".text.last"), ElfImage::kTextSize + 12) << "aligned to four bytes";
  EXPECT_EQ(address(".init.text"), ElfFile::kNotPlaced);
  EXPECT_EQ(address(".data"), ElfFile::kNotPlaced);
  EXPECT_EQ(address(".debug_info"), 0u);
  image.type = ET_DYN;
  auto program = ElfFile::from_bytes(image.bytes(), "x");
  program->place_as_module();
  EXPECT_EQ(program->find_section(".text")->address, image.text_address);
}

}  // namespace
}  // namespace peregrine
