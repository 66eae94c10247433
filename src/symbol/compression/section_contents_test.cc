#include "symbol/compression/section_contents.h"

#include <elf.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/bytes.h"
#include "support/byte_buffer.h"
#include "support/elf_image.h"
#include "support/packed_bytes.h"
#include "symbol/dwarf/dwarf_section.h"

namespace peregrine {
namespace {

using support::ByteBuffer;
using support::Endian;
using support::Packed;

constexpr u32 kZlibMethod = 1, kZstdMethod = 2;

// A section with SHF_COMPRESSED: its header and the compressed bytes.
ImageSection compressed_section(const ElfImage& image, u32 method, u64 size, const Packed& packed) {
  ByteBuffer out(image.order == ByteOrder::Little ? Endian::Little : Endian::Big);
  out.put32(method);
  if (image.is_64)
    out.zeros(4).put64(size).put64(1);
  else
    out.put32(size).put32(1);
  return {.name = ".debug_info", .contents = out.append(packed).bytes(), .flags = SHF_COMPRESSED};
}
// GNU's older format: it is recognized by the section name, and the size is big-endian in any file.
ImageSection old_compressed_section(u64 size, const Packed& packed, std::string_view mark = "ZLIB") {
  return {.name = ".zdebug_info", .contents = ByteBuffer(Endian::Big).text(mark).put64(size).append(packed).bytes()};
}

ElfFile file_with(ElfImage image, ImageSection section) {
  image.extra = {std::move(section)};
  return *ElfFile::from_bytes(image.bytes(), "image");
}

std::string contents_text(const ElfFile& file, std::string_view name = ".debug_info") {
  const auto bytes = section_contents(file, *file.find_section(name));
  return bytes ? std::string(reinterpret_cast<const char*>(bytes->data()), bytes->size()) : bytes.error().message;
}

const std::string kUnpacked(3000, 'd');
Bytes unpacked_bytes() { return std::as_bytes(std::span(kUnpacked)); }

TEST(SectionContents, AreUnpackedInEveryClassAndByteOrder) {
  for (const bool is_64 : {false, true}) {
    for (const ByteOrder order : {ByteOrder::Little, ByteOrder::Big}) {
      for (const auto& [method, packed] : {std::pair(kZlibMethod, support::zlib(unpacked_bytes())),
                                           std::pair(kZstdMethod, support::zstd(unpacked_bytes()))}) {
        ElfImage image;
        image.is_64 = is_64;
        image.order = order;
        const ElfFile file = file_with(image, compressed_section(image, method, kUnpacked.size(), packed));
        EXPECT_EQ(contents_text(file), kUnpacked);
        const auto how = compression_of(file, *file.find_section(".debug_info"));
        ASSERT_TRUE(how && *how);
        EXPECT_EQ((*how)->size, kUnpacked.size());
        EXPECT_EQ((*how)->header_size, is_64 ? 24u : 12u);
        EXPECT_EQ((*how)->packing, method == kZlibMethod ? Packing::Zlib : Packing::Zstd);
      }
    }
  }
}

TEST(SectionContents, OfOldNamesAreUnpackedToo) {
  const Packed packed = support::zlib(unpacked_bytes());
  EXPECT_EQ(contents_text(file_with({}, old_compressed_section(kUnpacked.size(), packed)), ".zdebug_info"), kUnpacked);
  const ElfFile other = file_with({}, old_compressed_section(4, Packed(4, std::byte{'x'}), "PLAIN..."));
  const auto how = compression_of(other, *other.find_section(".zdebug_info"));
  ASSERT_TRUE(how);
  EXPECT_FALSE(*how) << "the name alone does not compress it";
}

TEST(SectionContents, ThatAreNotCompressedAreTakenAsTheyAre) {
  const ElfFile file = file_with({}, {.name = ".debug_info", .contents = ByteBuffer().text("plain").bytes()});
  EXPECT_EQ(contents_text(file), "plain");
  const auto how = compression_of(file, *file.find_section(".debug_info"));
  ASSERT_TRUE(how);
  EXPECT_FALSE(*how);
}

TEST(SectionContents, AreCheckedAgainstTheirClaims) {
  const Packed packed = support::zlib(unpacked_bytes());
  const auto with = [&](u32 method, u64 size, const Packed& bytes) {
    return contents_text(file_with({}, compressed_section({}, method, size, bytes)));
  };
  EXPECT_EQ(with(3, 3000, packed), "image: section .debug_info uses unknown compression method 3");
  EXPECT_EQ(with(kZlibMethod, 2999, packed), "image: .debug_info: does not decompress to 2999 bytes");
  EXPECT_EQ(with(kZlibMethod, 3001, packed), "image: .debug_info: does not decompress to 3001 bytes");
  EXPECT_EQ(with(kZlibMethod, 3000, Packed(20)), "image: .debug_info: damaged deflated data");
  EXPECT_EQ(with(kZstdMethod, 3000, packed), "image: .debug_info: damaged zstd data");
  EXPECT_EQ(with(kZlibMethod, u64{1} << 30, packed),
            "image: section .debug_info claims to decompress to 1073741824 bytes")
      << "a bomb";
  EXPECT_EQ(with(kZlibMethod, ~u64{0}, packed),
            "image: section .debug_info claims to decompress to 18446744073709551615 bytes");
}

TEST(DwarfSections, ReadAtMostWhatIsThere) {
  const ElfFile file = file_with({}, {.name = ".debug_info", .contents = ByteBuffer().text("0123456789").bytes()});
  const SectionStorage storage(file, *file.find_section(".debug_info"));
  const DwarfSection section(storage);
  std::vector<std::byte> buffer;
  const auto read = [&](const DwarfSection& from, u64 offset, u64 size) {
    const Bytes bytes = from.read(offset, size, buffer);
    return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  };
  EXPECT_EQ(section.size(), 10u);
  EXPECT_TRUE(section.in_memory());
  EXPECT_EQ(read(section, 2, 3), "234");
  EXPECT_EQ(read(section, 8, 100), "89");
  EXPECT_EQ(read(section, 10, 1), "");
  EXPECT_EQ(read(section, ~u64{0}, ~u64{0}), "");
  EXPECT_EQ(read(DwarfSection(), 0, 1), "");
  const DwarfSection part = section.part(4, 3);
  EXPECT_EQ(part.start(), 4u);
  EXPECT_EQ(read(part, 0, 100), "456");
  EXPECT_EQ(read(part.part(1, 100), 0, 100), "56") << "parts of parts are clipped too";
  EXPECT_TRUE(section.part(10, 1).empty());
}

TEST(DwarfSections, ReadNumbersOfAnyWidth) {
  const ElfFile file = file_with(
      {}, {.name = ".debug_addr", .contents = ByteBuffer(Endian::Big).put64(0x0123456789abcdef).put(0xff, 1).bytes()});
  const SectionStorage storage(file, *file.find_section(".debug_addr"));
  const DwarfSection section(storage);
  u64 value = 0;
  ASSERT_TRUE(section.read_number(0, 8, ByteOrder::Big, value));
  EXPECT_EQ(value, 0x0123456789abcdefu);
  ASSERT_TRUE(section.read_number(0, 3, ByteOrder::Big, value));
  EXPECT_EQ(value, 0x012345u);
  ASSERT_TRUE(section.read_number(0, 3, ByteOrder::Little, value));
  EXPECT_EQ(value, 0x452301u);
  ASSERT_TRUE(section.read_number(8, 1, ByteOrder::Little, value));
  EXPECT_EQ(value, 0xffu);
  EXPECT_FALSE(section.read_number(8, 2, ByteOrder::Little, value)) << "it exceeds the section";
  EXPECT_FALSE(section.read_number(0, 0, ByteOrder::Little, value));
  EXPECT_FALSE(section.read_number(0, 9, ByteOrder::Little, value));
}

TEST(DwarfSections, OfLargeFilesAreReadPieceByPiece) {
  // Five megabytes: a short string, one of 1,000 bytes, and one that does not end for 100,000.
  std::vector<std::byte> contents(std::size_t{5} << 20);
  std::ranges::fill(std::span(contents).subspan(4, 1000), std::byte{'b'});
  std::ranges::fill(std::span(contents).subspan(2000, 100'000), std::byte{'c'});
  contents.back() = std::byte{'z'};
  const ElfFile file = file_with({}, {.name = ".debug_str", .contents = contents});
  const SectionStorage storage(file, *file.find_section(".debug_str"));
  const DwarfSection section(storage);
  EXPECT_FALSE(section.in_memory());
  std::vector<std::byte> buffer;
  EXPECT_EQ(section.text(4, buffer), std::string(1000, 'b'));
  EXPECT_EQ(section.text(1003, buffer), "b");
  EXPECT_EQ(section.text(1004, buffer), "");
  EXPECT_EQ(section.text(2000, buffer), "") << "too long for a name";
  EXPECT_EQ(section.text(contents.size() - 1, buffer), "") << "no NUL ends it";
  EXPECT_EQ(section.text(contents.size(), buffer), "");
}

TEST(DwarfSections, UnpackAndAreEmptyWhenTheyCannot) {
  const Packed packed = support::zlib(unpacked_bytes());
  std::vector<std::byte> buffer;
  for (const auto& [size, readable] : {std::pair(3000u, 3000u), std::pair(3001u, 0u)}) {
    const ElfFile file = file_with({}, compressed_section({}, kZlibMethod, size, packed));
    const SectionStorage storage(file, *file.find_section(".debug_info"));
    EXPECT_EQ(DwarfSection(storage).size(), size);
    EXPECT_EQ(DwarfSection(storage).read(0, 10'000, buffer).size(), readable);
  }
  const ElfFile unknown = file_with({}, compressed_section({}, 3, 3000, packed));
  const SectionStorage storage(unknown, *unknown.find_section(".debug_info"));
  EXPECT_TRUE(DwarfSection(storage).empty());
}

}  // namespace
}  // namespace peregrine
