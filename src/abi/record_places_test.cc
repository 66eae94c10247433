#include "abi/record_places.h"

#include <gtest/gtest.h>

#include <vector>

#include "abi/attr.h"
#include "abi/record_rows.h"
#include "abi/side_band.h"
#include "base/bytes.h"
#include "support/byte_buffer.h"

namespace peregrine::abi {
namespace {

using support::ByteBuffer;
using support::Endian;

struct PlacedRecord {
  std::vector<std::byte> bytes;
  RecordView view;

  PlacedRecord(RecordType type, const ByteBuffer& body) : bytes(8) {
    bytes.insert(bytes.end(), body.bytes().begin(), body.bytes().end());
    view = {
        .type = type, .bytes = bytes, .order = body.endian() == Endian::Little ? ByteOrder::Little : ByteOrder::Big};
  }
};

TEST(RecordPlaces, ReadPayloadSizes) {
  for (const Endian order : {Endian::Little, Endian::Big}) {
    const ByteBuffer body = ByteBuffer(order).put64(u64{5} << 32).put64(0);
    EXPECT_EQ(payload_size(PlacedRecord(RecordType::Auxtrace, body).view), u64{5} << 32);
    EXPECT_EQ(payload_size(PlacedRecord(RecordType::HeaderTracingData, ByteBuffer(order).put32(7)).view), 7u);
    EXPECT_EQ(payload_size(PlacedRecord(RecordType::Comm, body).view), 0u);
    EXPECT_EQ(payload_size(PlacedRecord(RecordType::Auxtrace, ByteBuffer(order).put32(7)).view), 0u)
        << "it is too short";
  }
}

TEST(RecordPlaces, ReadTimesOfTraceErrors) {
  const auto error = [](u32 type, u32 format) {
    return PlacedRecord(
        RecordType::AuxtraceError,
        ByteBuffer(Endian::Little).put32(type).put32(2).zeros(12).put32(format).put64(0x401000).put64(99).zeros(64));
  };
  EXPECT_EQ(auxtrace_error_time(error(1, 1).view), 99u);
  EXPECT_EQ(auxtrace_error_time(error(1, 0).view), 0u) << "the first format has no time";
  EXPECT_EQ(auxtrace_error_time(error(0, 1).view), 0u) << "it is no error of an instruction trace";
}

// decode_side_band() finds the same fields.
TEST(RecordPlaces, AreThoseOfTheDecoder) {
  const auto decoded = [](const PlacedRecord& record) {
    SideBandScratch scratch;
    return (*decode_side_band(record.view, EventAttr{}, scratch))->body;
  };
  const auto value = [](const PlacedRecord& record, std::size_t at) { return load<u64>(record.bytes.data() + at); };
  const PlacedRecord map(RecordType::Mmap,
                         ByteBuffer().put32(7).put32(8).put64(0x1000).put64(0x2000).put64(0x3000).text("/a").zeros(6));
  const auto mapped = std::get<MmapRecord>(decoded(map));
  EXPECT_EQ(value(map, record_place::kMapStart), mapped.start);
  EXPECT_EQ(value(map, record_place::kMapLength), mapped.length);
  EXPECT_EQ(value(map, record_place::kMapOffset), mapped.page_offset);
  EXPECT_EQ(load<u32>(map.bytes.data() + record_place::kMapPid), mapped.pid);
  EXPECT_EQ(up_to_nul(map.view.bytes.subspan(record_place::kMmapName)), mapped.filename);
  const PlacedRecord fork(RecordType::Fork, ByteBuffer().put32(9).put32(7).put32(9).put32(7).put64(77));
  EXPECT_EQ(value(fork, record_place::kTaskTime), std::get<ForkRecord>(decoded(fork)).time);
  const PlacedRecord symbol(RecordType::Ksymbol,
                            ByteBuffer().put64(0xffff0000).put32(16).put16(1).put16(0).text("f").zeros(7));
  EXPECT_EQ(value(symbol, record_place::kKsymbolAddress), std::get<KsymbolRecord>(decoded(symbol)).address);
}

}  // namespace
}  // namespace peregrine::abi
