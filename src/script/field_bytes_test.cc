#include "script/field_bytes.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <vector>

namespace peregrine::script {
namespace {

std::vector<std::byte> record_of(std::initializer_list<unsigned> values) {
  std::vector<std::byte> bytes;
  for (const unsigned value : values) bytes.push_back(static_cast<std::byte>(value));
  return bytes;
}

// The texts of fields, by their offset in the record.
FieldPlan fixed_field(u32 offset, u32 size) {
  return {.name = "f", .kind = FieldKind::Bytes, .place = FieldPlace::Fixed, .offset = offset, .size = size};
}
FieldPlan located_field(FieldPlace place, u32 offset) {
  return {.name = "f", .kind = FieldKind::Text, .place = place, .offset = offset, .size = 4};
}

TEST(LoadNumber, ReadsEachSizeInTheOrderOfTheRecording) {
  const auto bytes = record_of({1, 2, 3, 4, 5, 6, 7, 8});
  EXPECT_EQ(load_number(bytes.data(), 1, ByteOrder::Little), 1u);
  EXPECT_EQ(load_number(bytes.data(), 2, ByteOrder::Little), 0x0201u);
  EXPECT_EQ(load_number(bytes.data(), 4, ByteOrder::Little), 0x04030201u);
  EXPECT_EQ(load_number(bytes.data(), 8, ByteOrder::Little), 0x0807060504030201u);
  EXPECT_EQ(load_number(bytes.data(), 2, ByteOrder::Big), 0x0102u);
  EXPECT_EQ(load_number(bytes.data(), 4, ByteOrder::Big), 0x01020304u);
  EXPECT_EQ(load_number(bytes.data(), 8, ByteOrder::Big), 0x0102030405060708u);
}

TEST(SignExtended, TakesTheHighestBitOfTheFieldAsSign) {
  EXPECT_EQ(sign_extended(0x7f, 1), 127);
  EXPECT_EQ(sign_extended(0x80, 1), -128);
  EXPECT_EQ(sign_extended(0xffff, 2), -1);
  EXPECT_EQ(sign_extended(0xffff, 4), 65535);
  EXPECT_EQ(sign_extended(0x80000000, 4), -2147483648LL);
  EXPECT_EQ(sign_extended(~u64{0}, 8), -1);
}

TEST(FixedFields, EndAtTheRecordsEnd) {
  const auto record = record_of({0, 1, 2, 3, 4, 5});
  EXPECT_EQ(field_bytes(fixed_field(2, 4), record, ByteOrder::Little).size(), 4u);
  EXPECT_EQ(field_bytes(fixed_field(2, 4), record, ByteOrder::Little).data(), record.data() + 2);
  EXPECT_TRUE(field_bytes(fixed_field(3, 4), record, ByteOrder::Little).empty());
  EXPECT_TRUE(field_bytes(fixed_field(7, 0), record, ByteOrder::Little).empty());
  EXPECT_TRUE(field_bytes(fixed_field(2, ~u32{0}), record, ByteOrder::Little).empty()) << "the sum would wrap";
}

// A locator is offset | length << 16.
TEST(LocatedFields, LieWhereTheirLocatorSays) {
  const auto record = record_of({6, 0, 2, 0, 'x', 'x', 'h', 'i'});
  EXPECT_EQ(up_to_nul(field_bytes(located_field(FieldPlace::Located, 0), record, ByteOrder::Little)), "hi");
  const auto big = record_of({0, 2, 0, 6, 'x', 'x', 'h', 'i'});
  EXPECT_EQ(up_to_nul(field_bytes(located_field(FieldPlace::Located, 0), big, ByteOrder::Big)), "hi");
  const auto relative = record_of({'x', 'x', 1, 0, 2, 0, 'x', 'h', 'i'});
  EXPECT_EQ(up_to_nul(field_bytes(located_field(FieldPlace::Relative, 2), relative, ByteOrder::Little)), "hi")
      << "one byte behind the locator, which ends at 6";
}

TEST(LocatedFields, StayInsideTheRecord) {
  const auto longer = record_of({6, 0, 3, 0, 'x', 'x', 'h', 'i'}), behind = record_of({9, 0, 0, 0, 'x', 'x', 'h', 'i'});
  EXPECT_TRUE(field_bytes(located_field(FieldPlace::Located, 0), longer, ByteOrder::Little).empty());
  EXPECT_TRUE(field_bytes(located_field(FieldPlace::Located, 0), behind, ByteOrder::Little).empty());
  const auto relative = record_of({1, 0, 4, 0, 'x', 'h', 'i', '!'});
  EXPECT_TRUE(field_bytes(located_field(FieldPlace::Relative, 0), relative, ByteOrder::Little).empty());
  FieldPlan wide = located_field(FieldPlace::Located, 0);
  wide.size = 8;
  EXPECT_TRUE(field_bytes(wide, longer, ByteOrder::Little).empty()) << "a locator has four bytes";
}

TEST(TextIn, EndsAtTheFirstNul) {
  EXPECT_EQ(up_to_nul(record_of({'a', 'b', 0, 'c'})), "ab");
  EXPECT_EQ(up_to_nul(record_of({'a', 'b'})), "ab") << "or at the end of the bytes";
  EXPECT_EQ(up_to_nul(record_of({0})), "");
  EXPECT_EQ(up_to_nul({}), "");
}

TEST(SharedNumber, IsZeroForWhatIsNoNumber) {
  const auto record = record_of({0, 0, 42, 0});
  FieldPlan field = fixed_field(2, 2);
  EXPECT_EQ(shared_number(field, record, ByteOrder::Little), 0u);
  field.kind = FieldKind::Unsigned;
  EXPECT_EQ(shared_number(field, record, ByteOrder::Little), 42u);
  EXPECT_EQ(shared_number(std::nullopt, record, ByteOrder::Little), 0u);
}

}  // namespace
}  // namespace peregrine::script
