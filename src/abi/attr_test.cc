#include "abi/attr.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "abi/aux_action.h"
#include "support/byte_buffer.h"

namespace peregrine::abi {
namespace {

using support::ByteBuffer;
using support::Endian;

// A 64-byte attr, field by field; flags in the byte order of the file.
ByteBuffer old_attr(Endian endian, std::uint64_t flags) {
  ByteBuffer out(endian);
  out.put32(1).put32(64).put64(9).put64(4000).put64(0x107).put64(4).put64(flags);
  return out.put32(1).put32(0).put64(0);
}

ByteOrder order_of(Endian endian) { return endian == Endian::Little ? ByteOrder::Little : ByteOrder::Big; }

TEST(EventAttr, ReadsTheFirstSizeInBothByteOrders) {
  // A big-endian compiler puts the first bit-field into the highest bit of the word.
  const std::pair<Endian, std::uint64_t> files[] = {{Endian::Little, 1u << 10 | 1u << 18},
                                                    {Endian::Big, 1ull << (63 - 10) | 1ull << (63 - 18)}};
  for (const auto& [endian, flags] : files) {
    const auto attr = decode_attr(old_attr(endian, flags).bytes(), order_of(endian));
    ASSERT_TRUE(attr);
    EXPECT_EQ(attr->type, 1u);
    EXPECT_EQ(attr->size, 64u);
    EXPECT_EQ(attr->config, 9u);
    EXPECT_EQ(attr->sample_period, 4000u);
    EXPECT_EQ(attr->sample_type, 0x107u);
    EXPECT_EQ(attr->flags, attr_flag::Freq | attr_flag::SampleIdAll);
    EXPECT_EQ(attr->wakeup_events, 1u);
    EXPECT_EQ(attr->config2, 0u);
  }
}

TEST(EventAttr, KeepsATailItDoesNotKnow) {
  ByteBuffer bytes = old_attr(Endian::Little, 0);
  ByteBuffer longer;
  longer.put32(1).put32(160).append({bytes.bytes().begin() + 8, bytes.bytes().end()}).zeros(80).put64(0xabcd).put64(7);
  const auto attr = decode_attr(longer.bytes(), ByteOrder::Little);
  ASSERT_TRUE(attr);
  ASSERT_EQ(attr->unknown_tail.size(), 16u);
  ByteWriter out;
  encode_attr(*attr, out);
  EXPECT_TRUE(std::ranges::equal(out.bytes(), longer.bytes()));
  EXPECT_EQ(written_size(*attr), 160u);
}

TEST(EventAttr, EncodesWhatItDecoded) {
  for (const Endian endian : {Endian::Little, Endian::Big}) {
    const ByteBuffer bytes = old_attr(endian, 0x8040201008040201);
    const auto attr = decode_attr(bytes.bytes(), order_of(endian));
    ASSERT_TRUE(attr);
    ByteWriter out(order_of(endian));
    encode_attr(*attr, out, order_of(endian));
    EXPECT_TRUE(std::ranges::equal(out.bytes(), bytes.bytes()));
  }
}

TEST(EventAttr, RefusesSizesThatCannotBe) {
  ByteBuffer small;
  small.put32(0).put32(56).zeros(56);
  EXPECT_FALSE(decode_attr(small.bytes(), ByteOrder::Little));
  ByteBuffer beyond;
  beyond.put32(0).put32(128).zeros(64);
  EXPECT_FALSE(decode_attr(beyond.bytes(), ByteOrder::Little));
  ByteBuffer zero;
  zero.put32(0).put32(0).zeros(56);
  ASSERT_TRUE(decode_attr(zero.bytes(), ByteOrder::Little));
  EXPECT_EQ(decode_attr(zero.bytes(), ByteOrder::Little)->size, kAttrSizeMin);
}

TEST(EventAttr, IsWrittenWith128BytesUnlessALaterFieldIsSet) {
  EventAttr attr;
  EXPECT_EQ(written_size(attr), 128u);
  attr.config3 = 1;
  EXPECT_EQ(written_size(attr), 136u);
  attr.config4 = 1;
  EXPECT_EQ(written_size(attr), 144u);
}

TEST(EventAttr, AuxActionIsABitFieldInBothByteOrders) {
  EventAttr attr;
  attr.aux_action = aux_action::StartPaused | aux_action::Resume;
  const std::pair<ByteOrder, u32> orders[] = {{ByteOrder::Little, 0x00000005u}, {ByteOrder::Big, 0x000000a0u}};
  for (const auto& [order, word] : orders) {
    ByteWriter out(order);
    encode_attr(attr, out, order);
    EXPECT_EQ(load<u32>(out.bytes().data() + 116, ByteOrder::Little), word);
    EXPECT_EQ(decode_attr(out.bytes(), order), attr);
  }
}

}  // namespace
}  // namespace peregrine::abi
