#include "base/bytes.h"

#include <gtest/gtest.h>

namespace peregrine {
namespace {

TEST(Bytes, BothOrdersRoundTrip) {
  for (const ByteOrder order : {ByteOrder::Little, ByteOrder::Big}) {
    ByteWriter writer(order);
    writer.put16(0x0102).put32(0x03040506).put64(0x0708090a0b0c0d0e).append("hi").align(8);
    EXPECT_EQ(writer.size() % 8, 0u);
    ByteReader reader(writer.bytes(), order);
    EXPECT_EQ(reader.get16(), 0x0102);
    EXPECT_EQ(reader.get32(), 0x03040506u);
    EXPECT_EQ(reader.get64(), 0x0708090a0b0c0d0eu);
    EXPECT_EQ(reader.text(2), "hi");
    EXPECT_TRUE(reader.ok());
  }
}

TEST(Bytes, LoadReadsWhatStoreWrites) {
  std::byte bytes[8] = {};
  store(bytes + 1, u32{0x01020304}, ByteOrder::Big);
  EXPECT_EQ(bytes[1], std::byte{1});
  EXPECT_EQ(load<u32>(bytes + 1, ByteOrder::Big), 0x01020304u);
  EXPECT_EQ(load<u32>(bytes + 1, ByteOrder::Little), 0x04030201u);
}

TEST(Bytes, ReadingPastTheEndIsRememberedAndYieldsZero) {
  ByteWriter writer;
  writer.put16(7);
  ByteReader reader(writer.bytes());
  EXPECT_EQ(reader.get32(), 0u);
  EXPECT_FALSE(reader.ok());
  EXPECT_EQ(reader.get8(), 0u);
  EXPECT_TRUE(reader.take(1).empty());
}

TEST(Bytes, TakesTextThatANulEnds) {
  ByteWriter writer;
  writer.append("ab").put8(0).put8(0).append("cd");
  EXPECT_EQ(up_to_nul(writer.bytes()), "ab");
  EXPECT_EQ(up_to_nul(writer.bytes().subspan(4)), "cd");
  EXPECT_EQ(up_to_nul({}), "");
  ByteReader reader(writer.bytes());
  EXPECT_EQ(reader.terminated_text(), "ab");
  EXPECT_EQ(reader.terminated_text(), "");
  EXPECT_TRUE(reader.ok());
  EXPECT_EQ(reader.terminated_text(), "");
  EXPECT_FALSE(reader.ok());
  EXPECT_EQ(reader.left(), 0u);
}

}  // namespace
}  // namespace peregrine
