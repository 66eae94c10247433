#include "abi/trailer_end.h"

#include <gtest/gtest.h>

#include <string_view>
#include <vector>

#include "abi/record_rows.h"
#include "abi/record_walk.h"
#include "base/bytes.h"
#include "base/types.h"
#include "support/byte_buffer.h"

namespace peregrine::abi {
namespace {

using support::ByteBuffer;
using support::Endian;

constexpr std::size_t kHeader = 8, kTrailer = 16;

// The end of the trailer in a record with that body, which the kernel made `excess` bytes too long.
std::size_t end_of(RecordType type, const ByteBuffer& body, std::size_t excess = 0) {
  std::vector<std::byte> bytes(kHeader);
  bytes.insert(bytes.end(), body.bytes().begin(), body.bytes().end());
  bytes.resize(bytes.size() + kTrailer + excess);
  const RecordView record{
      .type = type, .bytes = bytes, .order = body.endian() == Endian::Little ? ByteOrder::Little : ByteOrder::Big};
  return trailer_end(record, kTrailer);
}

ByteBuffer ksymbol_body(std::string_view name) {
  return ByteBuffer().put64(0x1000).put32(64).put16(1).put16(0).ended_text(name, 8);
}

ByteBuffer text_poke_body(Endian endian, u64 old_bytes, u64 new_bytes) {
  return ByteBuffer(endian).put64(0x1000).put16(old_bytes).put16(new_bytes).zeros(old_bytes + new_bytes).align(8);
}

struct TrailerCase {
  const char* what;
  RecordType type;
  ByteBuffer body;
};

// A record's length determines where the trailer ends, unless the kernel makes that kind of record too long.
TEST(TrailerEnd, IsFoundInRecordsThatAreTooLong) {
  const TrailerCase cases[] = {
      {"a symbol", RecordType::Ksymbol, ksymbol_body("bpf_prog_0123")},
      {"a name that fills its words", RecordType::Ksymbol, ksymbol_body("1234567")},
      {"a name with a word for its end", RecordType::Ksymbol, ksymbol_body("12345678")},
      {"a program", RecordType::BpfEvent, ByteBuffer().put16(1).put16(0).put32(7).put64(0xabcd)},
      {"a patched jump", RecordType::TextPoke, text_poke_body(Endian::Little, 5, 5)},
      {"a big-endian one", RecordType::TextPoke, text_poke_body(Endian::Big, 4, 4)},
      {"added code", RecordType::TextPoke, text_poke_body(Endian::Little, 0, 12)},
      {"no code", RecordType::TextPoke, text_poke_body(Endian::Little, 0, 0)},
  };
  for (const TrailerCase& each : cases) {
    const std::size_t expected = kHeader + (each.body.size() + 7) / 8 * 8 + kTrailer;
    for (const std::size_t excess : {0, 16, 48}) EXPECT_EQ(end_of(each.type, each.body, excess), expected) << each.what;
  }
}

TEST(TrailerEnd, OfOtherRecordsIsTheirEnd) {
  for (const RecordType type : {RecordType::Comm, RecordType::Mmap2, RecordType::Fork, RecordType::Lost})
    EXPECT_EQ(end_of(type, ByteBuffer().zeros(24), 16), kHeader + 24 + kTrailer + 16) << record_type_name(type);
}

// Lengths are untrusted: the end is never past the record.
TEST(TrailerEnd, StaysWithinTheRecord) {
  EXPECT_EQ(end_of(RecordType::TextPoke, ByteBuffer().put64(0x1000).put16(0xffff).put16(0xffff).put32(0)),
            kHeader + 16 + kTrailer);
  for (const RecordType type : {RecordType::Ksymbol, RecordType::BpfEvent, RecordType::TextPoke}) {
    for (std::size_t size = kHeader; size < 40; ++size) {
      const std::vector<std::byte> bytes(size, std::byte{'x'});  // the name is not terminated
      EXPECT_LE(trailer_end({.type = type, .bytes = bytes}, kTrailer), size) << record_type_name(type);
    }
  }
}

TEST(RecordWalk, StepsThroughAdjacentRecords) {
  ByteBuffer all;
  all.put32(3).put16(7).put16(16).put64(1);
  all.put32(9).put16(0).put16(8);
  Bytes rest = all.bytes();
  const auto first = first_record(rest);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->type, RecordType::Comm);
  EXPECT_EQ(first->misc, 7u);
  EXPECT_EQ(first->body().size(), 8u);
  rest = rest.subspan(first->bytes.size());
  const auto second = first_record(rest);
  ASSERT_TRUE(second);
  EXPECT_EQ(second->type, RecordType::Sample);
  EXPECT_TRUE(second->body().empty());
  EXPECT_FALSE(first_record(rest.subspan(second->bytes.size())));
}

TEST(RecordWalk, EndsAtAnIncompleteRecord) {
  const auto of_size = [](std::size_t stated, std::size_t there) {
    const ByteBuffer bytes = ByteBuffer().put32(3).put16(0).put16(stated).zeros(64);
    return first_record(Bytes(bytes.bytes()).first(there)).has_value();
  };
  EXPECT_TRUE(of_size(16, 16));
  EXPECT_TRUE(of_size(16, 72));
  EXPECT_FALSE(of_size(16, 15));
  EXPECT_FALSE(of_size(16, 7)) << "a header that is cut";
  EXPECT_FALSE(of_size(7, 72)) << "smaller than a header";
  EXPECT_FALSE(of_size(0, 72)) << "it would never end";
  EXPECT_FALSE(of_size(0xffff, 72));
}

}  // namespace
}  // namespace peregrine::abi
