#include "abi/record_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "support/byte_buffer.h"
#include "support/records.h"

namespace peregrine::abi {
namespace {

using support::ByteBuffer;
using support::Endian;

constexpr auto kFakeType = static_cast<RecordType>(40);

// A record that no kernel writes, with the fields of its rows here and in tests/support/records.cc: a number and a
// name.
constexpr RecordRow kFakeRecord{.type = kFakeType, .name = "FAKE", .side_band = [](SideBandInput& b) -> SideBandBody {
                                  CgroupRecord fake;
                                  fake.id = b.in.get64();
                                  fake.path = b.text();
                                  return fake;
                                }};
constexpr support::RecordShape kFakeShape{"fake", 40, 0, "number:8 label:s"};

std::vector<std::byte> fake_record(Endian endian) {
  ByteBuffer out(endian);
  out.put32(40).put16(0).put16(8 + 8 + 8);
  support::encode_body(kFakeShape, {{"number", 7}, {"label", "seven"}}, out);
  return out.bytes();
}

TEST(RecordTable, EncodesAndDecodesAFakeRecordInEitherByteOrder) {
  for (const Endian endian : {Endian::Little, Endian::Big}) {
    const std::vector<std::byte> bytes = fake_record(endian);
    RecordView view{.type = kFakeType, .bytes = bytes};
    view.order = endian == Endian::Little ? ByteOrder::Little : ByteOrder::Big;
    SideBandScratch scratch;
    const auto decoded = decode_side_band(view, {}, scratch, std::span(&kFakeRecord, 1));
    ASSERT_TRUE(decoded && *decoded);
    const auto& fake = std::get<CgroupRecord>((*decoded)->body);
    EXPECT_EQ(fake.id, 7u);
    EXPECT_EQ(fake.path, "seven");
  }
}

TEST(RecordTable, NamesAFakeRecordThatIsCutShort) {
  std::vector<std::byte> bytes = fake_record(Endian::Little);
  bytes.resize(12);
  SideBandScratch scratch;
  const auto decoded = decode_side_band({.type = kFakeType, .bytes = bytes}, {}, scratch, std::span(&kFakeRecord, 1));
  ASSERT_FALSE(decoded);
  EXPECT_EQ(decoded.error().message, "FAKE record at offset 0x0, 12 bytes: unterminated string");
}

TEST(RecordTable, DecodesAFakeRecordOfTheRecorder) {
  const RecordRow row{
      .type = static_cast<RecordType>(99),
      .name = "FAKE",
      .session = [](ByteReader& in) -> std::optional<SessionRecord> { return AuxtraceTypeRecord{in.get32()}; }};
  const ByteBuffer bytes = ByteBuffer(Endian::Big).put32(99).put16(0).put16(12).put32(3);
  RecordView view{.type = row.type, .bytes = bytes.bytes()};
  view.order = ByteOrder::Big;
  const auto decoded = decode_session_record(view, std::span(&row, 1));
  ASSERT_TRUE(decoded && *decoded);
  EXPECT_EQ(std::get<AuxtraceTypeRecord>(**decoded).type, 3u);
  EXPECT_FALSE(*decode_session_record(view)) << "the real table has no such type";
}

TEST(RecordTable, FindsEachRowByItsNumber) {
  for (const RecordRow& row : record_table()) {
    EXPECT_EQ(find_record(row.type), &row) << row.name;
    EXPECT_EQ(record_type_name(row.type), row.name);
    EXPECT_FALSE(is_unknown(row.type));
  }
  for (const u32 number : {0u, 23u, 40u, 63u, 87u, ~0u}) {
    EXPECT_EQ(find_record(static_cast<RecordType>(number)), nullptr) << number;
    EXPECT_EQ(record_type_name(static_cast<RecordType>(number)), "UNKNOWN");
  }
}

// --aslr keeps records with this trait, so a type without a row must not have it.
TEST(RecordTable, SuspectsAnAddressInTypesThatItDoesNotKnow) {
  EXPECT_FALSE(record_has(kFakeType, record_trait::NoAddresses));
  EXPECT_FALSE(record_has(RecordType::TextPoke, record_trait::NoAddresses));
  EXPECT_TRUE(record_has(RecordType::Comm, record_trait::NoAddresses));
}

TEST(RecordTable, EachDecodedTypeCanBeWrittenByTests) {
  for (const RecordRow& row : record_table()) {
    if (row.side_band == nullptr && row.session == nullptr) continue;
    EXPECT_NE(std::ranges::count(support::record_shapes(), static_cast<u32>(row.type), &support::RecordShape::type), 0)
        << row.name << ": add a row for it to kShapes in tests/support/records.cc";
  }
}

}  // namespace
}  // namespace peregrine::abi
