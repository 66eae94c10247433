#include "data/stream/zstd_stream.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/types.h"
#include "support/byte_buffer.h"

namespace peregrine::data {
namespace {

using support::ByteBuffer;

// Text that compresses well, but not to nothing.
std::vector<std::byte> counted_lines(unsigned count) {
  ByteBuffer out;
  for (unsigned i = 0; i < count; ++i) out.text(fmt::format("sample {} of many\n", i));
  return out.bytes();
}

// The encoder's complete output for the input, taken in pieces of `room` bytes and flushed.
std::vector<std::byte> compressed(ZstdEncoder& encoder, Bytes in, std::size_t room) {
  std::vector<std::byte> all, piece(room);
  for (bool flushed = false; !flushed;) {
    const auto step = encoder.run(in, piece, true);
    if (!step) {
      ADD_FAILURE() << step.error().message;
      break;
    }
    in = in.subspan(step->consumed);
    all.insert(all.end(), piece.begin(), piece.begin() + static_cast<std::ptrdiff_t>(step->produced));
    flushed = step->flushed;
  }
  EXPECT_TRUE(in.empty());
  return all;
}

std::vector<std::byte> decompressed(ZstdDecoder& decoder, Bytes in, std::size_t room) {
  std::vector<std::byte> all, piece(room);
  for (std::size_t produced = 1; produced != 0;) {
    const auto step = decoder.run(in, piece);
    if (!step) {
      ADD_FAILURE() << step.error().message;
      break;
    }
    in = in.subspan(step->consumed);
    produced = step->produced;
    all.insert(all.end(), piece.begin(), piece.begin() + static_cast<std::ptrdiff_t>(produced));
  }
  EXPECT_TRUE(in.empty());
  return all;
}

TEST(ZstdStream, GivesBackWhatItGotWhateverTheRoom) {
  const std::vector<std::byte> text = counted_lines(2000);
  for (const int level : {1, 3, 12})
    for (const std::size_t room : {std::size_t{7}, std::size_t{4096}, text.size() * 2}) {
      ZstdEncoder encoder(level);
      ZstdDecoder decoder;
      const std::vector<std::byte> bytes = compressed(encoder, text, room);
      EXPECT_LT(bytes.size(), text.size() / 4);
      EXPECT_EQ(decompressed(decoder, bytes, room), text) << "level " << level << ", room " << room;
    }
}

// Each COMPRESSED record is a flushed part of one stream, so it can be decoded immediately.
TEST(ZstdStream, CanBeReadUpToEachFlush) {
  ZstdEncoder encoder(1);
  ZstdDecoder decoder;
  for (unsigned part = 1; part <= 5; ++part) {
    const std::vector<std::byte> text = counted_lines(part * 10);
    EXPECT_EQ(decompressed(decoder, compressed(encoder, text, 4096), 4096), text) << "part " << part;
  }
}

TEST(ZstdStream, RepeatsItselfInLaterPartsForLittle) {
  std::vector<std::byte> noise(1 << 14);
  u32 state = 1;
  for (std::byte& byte : noise) byte = static_cast<std::byte>((state = state * 1664525 + 1013904223) >> 24);
  ZstdEncoder encoder(1);
  const std::size_t first = compressed(encoder, noise, 4096).size(), second = compressed(encoder, noise, 4096).size();
  EXPECT_GT(first, noise.size() / 2) << "noise does not compress";
  EXPECT_LT(second, first / 4) << "the stream goes on: it has seen the bytes";
}

TEST(ZstdStream, HoldsBackWhatIsNotFlushed) {
  ZstdEncoder encoder(1);
  const std::vector<std::byte> text = counted_lines(3);
  std::vector<std::byte> room(4096);
  const auto step = encoder.run(text, room, false);
  ASSERT_TRUE(step);
  EXPECT_EQ(step->consumed, text.size());
  EXPECT_FALSE(step->flushed);
  const auto flushed = encoder.run({}, room, true);
  ASSERT_TRUE(flushed);
  EXPECT_TRUE(flushed->flushed);
  EXPECT_GT(flushed->produced, 0u);
}

TEST(ZstdStream, MakesNothingOfNothing) {
  ZstdDecoder decoder;
  std::vector<std::byte> room(16);
  const auto step = decoder.run({}, room);
  ASSERT_TRUE(step);
  EXPECT_EQ(step->consumed, 0u);
  EXPECT_EQ(step->produced, 0u);
}

TEST(ZstdStream, RejectsBytesThatAreNoFrameAndGoesOnWithTheNext) {
  ZstdDecoder decoder;
  std::vector<std::byte> room(4096);
  const auto step = decoder.run(ByteBuffer().text("neither a frame nor anything else").bytes(), room);
  ASSERT_FALSE(step);
  EXPECT_EQ(step.error().kind, ErrorKind::Malformed);
  EXPECT_EQ(step.error().message.substr(0, 6), "zstd: ");
  ZstdEncoder encoder(1);
  const std::vector<std::byte> text = counted_lines(5);
  EXPECT_EQ(decompressed(decoder, compressed(encoder, text, 4096), 4096), text);
}

// A frame header that declares a window of 2 GB: 4 bytes magic, no flags, window exponent 31.
TEST(ZstdStream, AllocatesNoWindowLargerThanThatOfAnyLevel) {
  const auto with_window = [](unsigned log) {
    ZstdDecoder decoder;
    std::vector<std::byte> room(16);
    return decoder.run(ByteBuffer().put32(0xfd2fb528).put(0, 1).put((log - 10) << 3, 1).zeros(16).bytes(), room)
        .has_value();
  };
  EXPECT_TRUE(with_window(27));
  EXPECT_FALSE(with_window(28));
  EXPECT_FALSE(with_window(31));
}

TEST(ZstdStream, EncodersCanMove) {
  const std::vector<std::byte> text = counted_lines(50);
  ZstdEncoder first(1);
  std::vector<std::byte> bytes = compressed(first, text, 4096);
  ZstdEncoder second(std::move(first));
  const std::vector<std::byte> more = compressed(second, text, 4096);
  bytes.insert(bytes.end(), more.begin(), more.end());
  ZstdDecoder decoder;
  const std::vector<std::byte> all = decompressed(decoder, bytes, 4096);
  EXPECT_EQ(all.size(), 2 * text.size());
  EXPECT_TRUE(std::equal(text.begin(), text.end(), all.begin() + static_cast<std::ptrdiff_t>(text.size())));
}

}  // namespace
}  // namespace peregrine::data
