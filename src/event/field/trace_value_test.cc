#include "event/field/trace_value.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "support/byte_buffer.h"

namespace peregrine {
namespace {

using support::ByteBuffer;
using support::Endian;

TEST(TraceValue, NumbersAreReadInTheByteOrderOfTheRecord) {
  const auto record = ByteBuffer(Endian::Big).put64(0x0102030405060708).bytes();
  struct Case {
    u64 offset;
    u32 size;
    u64 big, little;
  };
  constexpr Case kCases[] = {
      {0, 1, 0x01, 0x01},
      {0, 2, 0x0102, 0x0201},
      {1, 4, 0x02030405, 0x05040302},  // unaligned
      {0, 8, 0x0102030405060708, 0x0807060504030201},
      {7, 1, 0x08, 0x08},
  };
  for (const auto& [offset, size, big, little] : kCases) {
    EXPECT_EQ(load_number(record, offset, size, ByteOrder::Big), big) << offset;
    EXPECT_EQ(load_number(record, offset, size, ByteOrder::Little), little) << offset;
  }
}

TEST(TraceValue, NumbersBeyondTheRecordAreZero) {
  const std::vector<std::byte> record(8, std::byte{0xff});
  EXPECT_EQ(load_number(record, 1, 8, ByteOrder::Little), 0u);
  EXPECT_EQ(load_number(record, 8, 1, ByteOrder::Little), 0u);
  EXPECT_EQ(load_number(record, std::numeric_limits<u64>::max(), 4, ByteOrder::Little), 0u);
  EXPECT_EQ(load_number({}, 0, 1, ByteOrder::Little), 0u);
}

TEST(TraceValue, OtherSizesAreNoNumbers) {
  const std::vector<std::byte> record(16, std::byte{0xff});
  for (const u32 size : {0u, 3u, 5u, 7u, 9u, 16u}) EXPECT_EQ(load_number(record, 0, size, ByteOrder::Little), 0u);
}

TEST(TraceValue, SignsAreExtended) {
  EXPECT_EQ(extend_sign(0x80, 1), u64{0} - 0x80);
  EXPECT_EQ(extend_sign(0x7f, 1), 0x7fu);
  EXPECT_EQ(extend_sign(0x8000, 2), u64{0} - 0x8000);
  EXPECT_EQ(extend_sign(0xffffffff, 4), ~u64{0});
  EXPECT_EQ(extend_sign(0x17f, 1), 0x7fu);  // only the low byte counts
  EXPECT_EQ(extend_sign(u64{1} << 63, 8), u64{1} << 63);
  EXPECT_EQ(extend_sign(5, 0), 5u);
}

TEST(TraceValue, OnlySignedFieldsAreExtended) {
  const auto record = ByteBuffer().put32(0xfffffffe).bytes();
  TraceField field{.name = "f", .size = 4};
  EXPECT_EQ(number_of(field, record, ByteOrder::Little), 0xfffffffeu);
  field.is_signed = true;
  EXPECT_EQ(static_cast<i64>(number_of(field, record, ByteOrder::Little)), -2);
}

TEST(TraceValue, ADataLocationCountsFromTheRecordsStart) {
  const TraceField field{.offset = 4, .size = 4, .is_array = true, .is_data_loc = true};
  const auto text = [&](unsigned offset, unsigned length) {
    const auto record = ByteBuffer().zeros(4).put16(offset).put16(length).text("file").zeros(1).bytes();
    return std::string(text_of(field, record, ByteOrder::Little)) +
           fmt::format(":{}", bytes_of(field, record, ByteOrder::Little).size());
  };
  EXPECT_EQ(text(8, 5), "file:5");  // the bytes include the NUL, the text does not
  EXPECT_EQ(text(8, 2), "fi:2");
  EXPECT_EQ(text(10, 500), "le:3");  // truncated at the end of the record
  EXPECT_EQ(text(12, 1), ":1");
  EXPECT_EQ(text(13, 1), ":0");  // starts at the end of the record
  EXPECT_EQ(text(65535, 65535), ":0");
  EXPECT_EQ(text(8, 0), ":0");
}

TEST(TraceValue, ARelativeLocationCountsFromTheFieldsEnd) {
  const TraceField field{.offset = 2, .size = 4, .is_array = true, .is_rel_loc = true};
  const auto record = ByteBuffer(Endian::Big).zeros(2).put16(3).put16(1).text("xabc").bytes();
  EXPECT_EQ(text_of(field, record, ByteOrder::Big), "abc");
}

// "char buf[]" at the end of a record, as in ftrace:print.
TEST(TraceValue, AFlexibleArrayIsTheRestOfTheRecord) {
  const TraceField field{.offset = 3, .size = 0, .is_array = true};
  EXPECT_EQ(text_of(field, ByteBuffer().zeros(3).text("hello\n").zeros(2).bytes(), ByteOrder::Little), "hello\n");
  EXPECT_TRUE(bytes_of(field, ByteBuffer().zeros(3).bytes(), ByteOrder::Little).empty());
}

TEST(TraceValue, AMaskMarksPlaceholders) {
  const TraceField field{.size = 1, .mask_offset = 1, .mask_bit = 63};
  EXPECT_TRUE(is_unavailable(field, ByteBuffer().zeros(1).put64(u64{1} << 63).bytes(), ByteOrder::Little));
  EXPECT_FALSE(is_unavailable(field, ByteBuffer().zeros(1).put64(~(u64{1} << 63)).bytes(), ByteOrder::Little));
  EXPECT_FALSE(is_unavailable(field, ByteBuffer().zeros(8).bytes(), ByteOrder::Little));  // without a mask
  EXPECT_FALSE(is_unavailable({.size = 1}, ByteBuffer().put64(~u64{0}).bytes(), ByteOrder::Little));
}

TEST(TraceValue, FloatsHaveAsManyDigitsAsTheyNeed) {
  const auto text = [](u64 bits, u32 size) {
    char buffer[32];
    return std::string(buffer, float_at(buffer, bits, size));
  };
  EXPECT_EQ(text(0x4002000000000000, 8), "2.25");
  EXPECT_EQ(text(0x3dcccccd, 4), "0.1");
  EXPECT_EQ(text(0x7ff0000000000000, 8), "inf");
  EXPECT_EQ(text(0xffefffffffffffff, 8), "-1.7976931348623157e+308");
}

}  // namespace
}  // namespace peregrine
