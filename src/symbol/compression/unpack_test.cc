#include "symbol/compression/unpack.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "support/packed_bytes.h"
#include "support/temporary_folder.h"

namespace peregrine {
namespace {

using support::Packed;

Packed plain_copy(Bytes bytes) { return {bytes.begin(), bytes.end()}; }

struct PackedFormat {
  const char* name;
  Packing packing;
  Packed (*pack)(Bytes);
  const char* damage;  // how errors name the data
};
const PackedFormat kPackedFormats[] = {
    {"gzip", Packing::Gzip, support::gzip, "deflated"},
    {"zlib", Packing::Zlib, support::zlib, "deflated"},
    {"deflate", Packing::Deflate, support::bare_deflate, "deflated"},
    {"xz", Packing::Xz, support::xz, "xz"},
    {"zstd", Packing::Zstd, support::zstd, "zstd"},
    {"bzip2", Packing::Bzip2, support::bzip2, "bzip2"},
    {"none", Packing::None, plain_copy, nullptr},
};

// Text that compresses well, but not to nothing.
Packed sample_bytes(std::size_t size) {
  Packed bytes(size);
  u32 state = 1;
  for (std::byte& byte : bytes) {
    state = state * 1664525 + 1013904223;
    byte = static_cast<std::byte>('a' + (state >> 28));
  }
  return bytes;
}

TEST(Unpacking, IsChosenByTheFirstBytes) {
  using namespace std::string_view_literals;
  const std::pair<std::string_view, Packing> cases[] = {
      {"\x1f\x8b\x08\0\0\0"sv, Packing::Gzip},
      {"\xfd"
       "7zXZ\0"sv,
       Packing::Xz},
      {"\x28\xb5\x2f\xfd\0\0"sv, Packing::Zstd},
      {"BZh91A"sv, Packing::Bzip2},
      {"\x7f"
       "ELF\2\1"sv,
       Packing::None},
      {"\x1f"sv, Packing::None},
      {"\xfd"
       "7zXY\0"sv,
       Packing::None},
      {""sv, Packing::None},
  };
  for (const auto& [start, packing] : cases) EXPECT_EQ(packing_of(std::as_bytes(std::span(start))), packing) << start;
}

TEST(Unpacking, GivesTheSameHoweverSmallTheSteps) {
  const Packed plain = sample_bytes(300);
  for (const PackedFormat& format : kPackedFormats) {
    const Packed packed = format.pack(plain);
    for (const auto& [in, out] : {std::pair(1u, 1u), std::pair(1u, 1000u), std::pair(1000u, 1u), std::pair(7u, 5u)}) {
      SCOPED_TRACE(fmt::format("{}, {} bytes to {}", format.name, in, out));
      const auto unpacker = *Unpacker::make(format.packing, "x");
      Packed got;
      bool ended = false;
      for (std::size_t at = 0; got.size() < plain.size() || !ended;) {
        std::vector<std::byte> room(out);
        const auto step =
            unpacker->step(Bytes(packed).subspan(at, std::min<std::size_t>(in, packed.size() - at)), room);
        ASSERT_TRUE(step) << step.error().message;
        ASSERT_TRUE(step->taken + step->given > 0) << "it makes no progress";
        at += step->taken;
        got.insert(got.end(), room.begin(), room.begin() + static_cast<std::ptrdiff_t>(step->given));
        ended = step->ended;
      }
      EXPECT_EQ(got, plain);
    }
  }
}

TEST(Unpacking, OfAPromisedSizeNeedsExactlyThat) {
  const Packed plain = sample_bytes(1000);
  for (const PackedFormat& format : kPackedFormats) {
    if (format.packing == Packing::None) continue;
    SCOPED_TRACE(format.name);
    const Packed packed = format.pack(plain);
    const auto good = unpack_to_size(format.packing, packed, "x", plain.size());
    ASSERT_TRUE(good) << good.error().message;
    EXPECT_EQ(*good, plain);
    for (const u64 size : {plain.size() - 1, plain.size() + 1, std::size_t{0}}) {
      const auto wrong = unpack_to_size(format.packing, packed, "x", size);
      ASSERT_FALSE(wrong);
      EXPECT_EQ(wrong.error().kind, ErrorKind::Malformed);
      EXPECT_EQ(wrong.error().message, fmt::format("x: does not decompress to {} bytes", size));
    }
  }
}

TEST(Unpacking, OfNothingIsNothing) {
  const Packed some(1);
  for (const PackedFormat& format : kPackedFormats) {
    if (format.packing == Packing::None) continue;
    const auto back = unpack_to_size(format.packing, format.pack(Bytes(some).first(0)), "x", 0);
    ASSERT_TRUE(back) << format.name << ": " << back.error().message;
    EXPECT_TRUE(back->empty());
  }
  const auto empty = unpack({}, "x", 0);
  ASSERT_TRUE(empty);
  EXPECT_TRUE(empty->empty());
}

TEST(Unpacking, StopsAtTheLimit) {
  const Packed plain = sample_bytes(200'000);
  for (const PackedFormat& format : kPackedFormats) {
    if (format.packing == Packing::Zlib || format.packing == Packing::Deflate) continue;  // they have no magic bytes
    SCOPED_TRACE(format.name);
    const Packed packed = format.pack(plain);
    EXPECT_TRUE(unpack(packed, "x", plain.size()));
    const auto more = unpack(packed, "x", plain.size() - 1);
    ASSERT_FALSE(more);
    EXPECT_EQ(more.error().kind, ErrorKind::Malformed);
    EXPECT_EQ(more.error().message, "x: decompresses to more than 199999 bytes");
  }
}

// A frame of one raw byte that declares a window of 2^bits bytes.
Packed zstd_with_window(unsigned bits) {
  Packed frame;
  for (const unsigned byte : {0x28u, 0xb5u, 0x2fu, 0xfdu, 0u, (bits - 10) << 3, 9u, 0u, 0u, 0x61u})
    frame.push_back(static_cast<std::byte>(byte));
  return frame;
}

TEST(Unpacking, RefusesZstdWindowsBeyondTheLargestLevel) {
  EXPECT_EQ(unpack(zstd_with_window(27), "x", 10), Packed{std::byte{'a'}});
  const auto larger = unpack(zstd_with_window(28), "x", 10);
  ASSERT_FALSE(larger);
  EXPECT_EQ(larger.error().message, "x: damaged zstd data");
}

TEST(Unpacking, NamesTheFormatOfDamagedData) {
  const Packed plain = sample_bytes(1000);
  for (const PackedFormat& format : kPackedFormats) {
    if (format.damage == nullptr) continue;
    SCOPED_TRACE(format.name);
    Packed packed = format.pack(plain);
    // Changes the whole second half, so that the checksum cannot match, whatever the format makes of it.
    for (std::size_t i = packed.size() / 2; i < packed.size(); ++i) packed[i] ^= std::byte{0xff};
    const auto back = unpack_to_size(format.packing, packed, "x", plain.size());
    ASSERT_FALSE(back);
    EXPECT_EQ(back.error().kind, ErrorKind::Malformed);
    EXPECT_TRUE(back.error().message == fmt::format("x: damaged {} data", format.damage) ||
                back.error().message == "x: does not decompress to 1000 bytes")
        << back.error().message;
  }
  const auto other = unpack_to_size(Packing::Xz, support::zstd(plain), "x", plain.size());
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().message, "x: damaged xz data");
}

TEST(Unpacking, NoticesDataThatEndsEarly) {
  const Packed plain = sample_bytes(1000);
  for (const PackedFormat& format : kPackedFormats) {
    if (format.packing == Packing::Zlib || format.packing == Packing::Deflate || format.packing == Packing::None)
      continue;
    const Packed packed = format.pack(plain);
    for (std::size_t size = 6; size < packed.size(); size += 13)
      EXPECT_FALSE(unpack(Bytes(packed).first(size), "x", 1u << 20)) << format.name << " " << size;
  }
  EXPECT_EQ(unpack(Bytes(support::zstd(plain)).first(50), "x", 1u << 20).error().message,
            "x: truncated compressed data");
}

class UnpackingFile : public ::testing::Test {
 protected:
  std::string write(Bytes bytes) const {
    return folder_.write("x", {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  }
  TemporaryFolder folder_;
};

TEST_F(UnpackingFile, ReadsInPiecesOfAnySize) {
  // Larger than the reader's buffer, compressed and uncompressed.
  const Packed plain = sample_bytes(700'000);
  for (const PackedFormat& format : kPackedFormats) {
    if (format.packing == Packing::Zlib || format.packing == Packing::Deflate) continue;
    SCOPED_TRACE(format.name);
    auto file = UnpackedFile::open(write(format.pack(plain)));
    ASSERT_TRUE(file) << file.error().message;
    Packed got, piece(77'777);
    for (;;) {
      const auto count = file->read(piece);
      ASSERT_TRUE(count) << count.error().message;
      got.insert(got.end(), piece.begin(), piece.begin() + static_cast<std::ptrdiff_t>(*count));
      EXPECT_EQ(file->given(), got.size());
      if (*count < piece.size()) break;
    }
    EXPECT_EQ(got, plain);
    const auto after = file->read(piece);
    ASSERT_TRUE(after);
    EXPECT_EQ(*after, 0u);
  }
}

TEST_F(UnpackingFile, FailsBeyondItsLimit) {
  auto file = UnpackedFile::open(write(support::gzip(Packed(100'000))));
  ASSERT_TRUE(file);
  file->set_limit(60'000);
  Packed piece(50'000);
  EXPECT_TRUE(file->read(piece));
  const auto more = file->read(piece);
  ASSERT_FALSE(more);
  EXPECT_EQ(more.error().message, folder_.path("x") + ": decompresses to more than 60000 bytes");
}

TEST_F(UnpackingFile, SaysThatItIsCutOff) {
  const Packed packed = support::gzip(sample_bytes(1000));
  auto file = UnpackedFile::open(write(Bytes(packed).first(packed.size() / 2)));
  ASSERT_TRUE(file);
  Packed all(2000);
  const auto count = file->read(all);
  ASSERT_FALSE(count);
  EXPECT_EQ(count.error().kind, ErrorKind::Malformed);
  EXPECT_EQ(count.error().message, folder_.path("x") + ": truncated");
}

TEST_F(UnpackingFile, MustBeARegularFile) {
  const auto directory = UnpackedFile::open(folder_.path());
  ASSERT_FALSE(directory);
  EXPECT_EQ(directory.error().kind, ErrorKind::Unsupported);
  EXPECT_EQ(directory.error().message, folder_.path() + ": not a regular file");
  EXPECT_EQ(UnpackedFile::open(folder_.path("absent")).error().kind, ErrorKind::NotFound);
}

}  // namespace
}  // namespace peregrine
