#include "abi/session_record.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>

#include "abi/record_rows.h"
#include "support/byte_buffer.h"

namespace peregrine::abi {
namespace {

using support::ByteBuffer;
using support::Endian;
using ::testing::ElementsAre;

struct DecodedSession {
  std::vector<std::byte> bytes;
  Result<std::optional<SessionRecord>> result;

  DecodedSession(RecordType type, const ByteBuffer& body) : bytes(8) {
    bytes.insert(bytes.end(), body.bytes().begin(), body.bytes().end());
    RecordView view;
    view.type = type;
    view.bytes = bytes;
    view.order = body.endian() == Endian::Little ? ByteOrder::Little : ByteOrder::Big;
    result = decode_session_record(view);
  }
  template <class T>
  const T& as() const {
    return std::get<T>(**result);
  }
};

TEST(SessionRecord, ReadsIdsWithAndWithoutGuests) {
  ByteBuffer host(Endian::Little);
  host.put64(1).put64(5).put64(0).put64(1).put64(7);
  const DecodedSession plain(RecordType::IdIndex, host);
  ASSERT_EQ(plain.as<IdIndexRecord>().entries.size(), 1u);
  EXPECT_EQ(plain.as<IdIndexRecord>().entries[0].tid, 7u);
  EXPECT_TRUE(plain.as<IdIndexRecord>().guests.empty());
  host.put64(99).put64(2);
  EXPECT_EQ(DecodedSession(RecordType::IdIndex, host).as<IdIndexRecord>().guests.at(0).vcpu, 2u);
}

TEST(SessionRecord, ReadsCpusOfAllThreeKinds) {
  ByteBuffer list(Endian::Big);
  list.put16(0).put16(2).put16(3).put16(9);
  EXPECT_THAT(DecodedSession(RecordType::CpuMap, list).as<CpuMapRecord>().cpus, ElementsAre(3, 9));
  ByteBuffer wide(Endian::Little);  // words of 8 bytes are aligned to 8 bytes after the kind
  wide.put16(1).put16(1).put16(8).put32(0).put64(5);
  EXPECT_THAT(DecodedSession(RecordType::CpuMap, wide).as<CpuMapRecord>().cpus, ElementsAre(0, 2));
  ByteBuffer narrow(Endian::Little);
  narrow.put16(1).put16(2).put16(4).put32(1).put32(2);
  EXPECT_THAT(DecodedSession(RecordType::CpuMap, narrow).as<CpuMapRecord>().cpus, ElementsAre(0, 33));
  ByteBuffer range(Endian::Little);
  range.put16(2).put16(0).put16(4).put16(6);
  EXPECT_THAT(DecodedSession(RecordType::CpuMap, range).as<CpuMapRecord>().cpus, ElementsAre(4, 5, 6));
}

TEST(SessionRecord, RejectsCpuMasksWithWordsOfAnotherWidth) {
  for (const std::uint16_t width : {0, 2, 16, 0xffff}) {
    ByteBuffer mask(Endian::Little);
    mask.put16(1).put16(1).put16(width).put64(1);
    const DecodedSession map(RecordType::CpuMap, mask);
    ASSERT_FALSE(map.result) << width;
    EXPECT_EQ(map.result.error().kind, ErrorKind::Malformed);
    ByteBuffer update(Endian::Little);
    update.put64(3).put64(7).put16(1).put16(1).put16(width).put64(1);
    EXPECT_FALSE(DecodedSession(RecordType::EventUpdate, update).result) << width;
  }
}

TEST(SessionRecord, ReadsTimeConversionsOfBothLengths) {
  ByteBuffer body(Endian::Little);
  body.put64(31).put64(100).put64(200);
  EXPECT_FALSE(DecodedSession(RecordType::TimeConv, body).as<TimeConvRecord>().has_cycles);
  body.put64(1).put64(2).put64(0x0101);
  const DecodedSession longer(RecordType::TimeConv, body);
  EXPECT_TRUE(longer.as<TimeConvRecord>().has_cycles);
  EXPECT_TRUE(longer.as<TimeConvRecord>().cap_short);
}

TEST(SessionRecord, ReadsCounters) {
  const DecodedSession config(RecordType::StatConfig, ByteBuffer(Endian::Little).put64(1).put64(1).put64(50));
  EXPECT_EQ(config.as<StatConfigRecord>().entries.at(0).value, 50u);
  ByteBuffer body(Endian::Big);
  body.put64(7).put32(0xffffffff).put32(3).put64(40).put64(41).put64(42);
  const DecodedSession reading(RecordType::Stat, body);
  EXPECT_EQ(reading.as<StatRecord>().cpu, -1);
  EXPECT_EQ(reading.as<StatRecord>().thread, 3u);
  EXPECT_EQ(reading.as<StatRecord>().running, 42u);
  const DecodedSession round(RecordType::StatRound, ByteBuffer(Endian::Little).put64(1).put64(99));
  EXPECT_TRUE(round.as<StatRoundRecord>().last);
  EXPECT_EQ(round.as<StatRoundRecord>().time, 99u);
}

TEST(SessionRecord, ReadsWhatBpfProgramsSayOfThemselves) {
  ByteBuffer body(Endian::Little);
  const auto text = [&](std::string_view value, std::size_t width) { body.text(value).zeros(width - value.size()); };
  text("bpf_prog_1a2b_tracer", 512);
  body.put64(1);
  text("version", 64);
  text("1.2", 256);
  const DecodedSession decoded(RecordType::BpfMetadata, body);
  const auto& record = decoded.as<BpfMetadataRecord>();
  EXPECT_EQ(record.program, "bpf_prog_1a2b_tracer");
  ASSERT_EQ(record.entries.size(), 1u);
  EXPECT_EQ(record.entries[0].key, "version");
  EXPECT_EQ(record.entries[0].value, "1.2");
}

TEST(SessionRecord, ReadsSchedulerStatistics) {
  ByteBuffer body(Endian::Little);
  body.put64(1000).put32(2).put16(17).put16(1).put64(5);
  const DecodedSession cpu(RecordType::SchedstatCpu, body);
  EXPECT_FALSE(cpu.as<SchedstatRecord>().domain);
  EXPECT_EQ(cpu.as<SchedstatRecord>().counters.size(), 8u);
  const DecodedSession domain(RecordType::SchedstatDomain, body);
  EXPECT_EQ(domain.as<SchedstatRecord>().domain, 1);
}

TEST(SessionRecord, ReadsTheCountersOfKnownSchedulerStatistics) {
  ByteBuffer body(Endian::Little);
  body.put64(1000).put32(2).put16(15).put16(0);
  for (std::uint32_t i = 0; i < 6; ++i) body.put32(i);
  for (std::uint64_t i = 6; i < 9; ++i) body.put64(i << 32);
  const DecodedSession cpu(RecordType::SchedstatCpu, body);
  const auto& values = cpu.as<SchedstatRecord>().values;
  ASSERT_EQ(values.size(), kSchedstatCpuCounters);
  EXPECT_EQ(values[5], 5u);
  EXPECT_EQ(values[8], 8ull << 32);
  const DecodedSession domain(RecordType::SchedstatDomain, body);
  EXPECT_EQ(domain.as<SchedstatRecord>().values.size(), 12u);  // as many as available
  ByteBuffer unknown(Endian::Little);
  unknown.put64(1000).put32(2).put16(99).put16(0).put64(1);
  EXPECT_TRUE(DecodedSession(RecordType::SchedstatCpu, unknown).as<SchedstatRecord>().values.empty());
}

TEST(SessionRecord, RefusesCountsThatDoNotFit) {
  ByteBuffer body(Endian::Little);
  body.put64(~std::uint64_t{0}).put64(5);
  EXPECT_FALSE(DecodedSession(RecordType::IdIndex, body).result);
  EXPECT_FALSE(DecodedSession(RecordType::ThreadMap, body).result);
  EXPECT_FALSE(DecodedSession(RecordType::StatConfig, body).result);
  EXPECT_FALSE(DecodedSession(RecordType::EventUpdate, ByteBuffer(Endian::Little)).result);
  const DecodedSession other(RecordType::FinishedRound, body);
  ASSERT_TRUE(other.result);
  EXPECT_FALSE(*other.result);
}

}  // namespace
}  // namespace peregrine::abi
