// Records assembled from packets, and what broken traces yield.
#include "auxtrace/arm_spe/record.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

#include "auxtrace/arm_spe/packet_text.h"
#include "auxtrace/arm_spe/trace_builder.h"

namespace peregrine {
namespace {

using spe_test::Trace;

std::vector<SpeRecord> all(SpeRecordReader& reader, Bytes bytes) {
  std::vector<SpeRecord> records;
  reader.feed(bytes);
  for (SpeRecord record; reader.next(record);) records.push_back(record);
  return records;
}
std::vector<SpeRecord> all(const Trace& trace) {
  SpeRecordReader reader;
  return all(reader, trace.bytes());
}

Trace load_trace(u64 ip, u64 ticks) {
  return Trace().pc(ip).load().events(0x16).data(0x1000).latency(33).context(7).source(8).timestamp(ticks);
}

TEST(SpeRecord, EndsAtTimestampPacket) {
  const auto records = all(load_trace(0x401000, 1000).pc(0x401010).branch().target(0x401100).timestamp(2000));
  ASSERT_EQ(records.size(), 2);
  EXPECT_EQ(records[0], (SpeRecord{.from_ip = 0x401000,
                                   .virt_addr = 0x1000,
                                   .timestamp = 1000,
                                   .events = 0x16,
                                   .operation = {spe_class::LoadStore, 0},
                                   .latency = 33,
                                   .data_source = 8,
                                   .context = 7}));
  EXPECT_EQ(records[1].to_ip, 0x401100);
  EXPECT_EQ(records[1].context, SpeRecord::kNoContext);
  EXPECT_TRUE(records[1].operation.is_branch() && records[1].operation.is_conditional());
}

TEST(SpeRecord, EndsAtAnEndPacketWithoutATime) {
  const auto records = all(Trace().pc(0x401000).load().end().raw({0, 0}).pc(0x401010).store().end());
  ASSERT_EQ(records.size(), 2);
  EXPECT_EQ(records[0].timestamp, 0);
  EXPECT_TRUE(records[0].operation.is_load() && records[1].operation.is_store());
  EXPECT_EQ(all(load_trace(0x401000, 1000).end()).size(), 1);
}

TEST(SpeRecord, KeepsAllLatenciesAndThePreviousBranch) {
  const auto records = all(Trace().pc(0x401000).latency(9).put(0x99, 5, 2).put(0x9a, 2, 2).address(4, 0x401200).end());
  ASSERT_EQ(records.size(), 1);
  EXPECT_EQ(records[0].latency, 9);
  EXPECT_EQ(records[0].issue_latency, 5);
  EXPECT_EQ(records[0].translation_latency, 2);
  EXPECT_EQ(records[0].previous_branch_to, 0x401200);
}

TEST(SpeRecord, MayGoOnInTheNextBuffer) {
  SpeRecordReader reader;
  EXPECT_TRUE(all(reader, Trace().pc(0x401000).load().bytes()).empty());
  const Trace rest = Trace().data(0x1000).timestamp(1000);
  const auto records = all(reader, rest.bytes());
  ASSERT_EQ(records.size(), 1);
  EXPECT_EQ(records[0].from_ip, 0x401000);
  EXPECT_EQ(records[0].virt_addr, 0x1000);

  EXPECT_TRUE(all(reader, Trace().pc(0x402000).load().bytes()).empty());
  reader.restart();
  EXPECT_EQ(all(reader, rest.bytes()).at(0).from_ip, 0);
}

TEST(SpeRecord, IsDamagedOnBothSidesOfBadBytes) {
  SpeRecordReader reader;
  const Trace trace = Trace().pc(0x401000).load().raw({0xff}).data(0x1000).timestamp(1000);
  const auto records = all(reader, trace.bytes());
  ASSERT_EQ(records.size(), 2);
  EXPECT_TRUE(records[0].damaged && records[1].damaged);
  EXPECT_EQ(records[0].from_ip, 0x401000);
  EXPECT_EQ(records[1].virt_addr, 0x1000);
  EXPECT_EQ(reader.bad_bytes(), 1);
}

TEST(SpeRecord, IsWholeWhenItOpensBehindBadBytes) {
  SpeRecordReader reader;
  Trace trace = load_trace(0x401000, 1000).raw({0xff, 0xfe});
  const Trace second = load_trace(0x401010, 2000);
  trace.storage().insert(trace.storage().end(), second.bytes().begin(), second.bytes().end());
  const auto records = all(reader, trace.bytes());
  ASSERT_EQ(records.size(), 2);
  EXPECT_FALSE(records[0].damaged || records[1].damaged);
  EXPECT_EQ(records[1].from_ip, 0x401010);
  EXPECT_EQ(reader.bad_bytes(), 2);
}

TEST(SpeRecord, CountsIndicesThatNoArchitectureNames) {
  SpeRecordReader reader;
  all(reader, Trace().pc(1).address(5, 5).put(0x9c, 2, 2).end().bytes());
  EXPECT_EQ(reader.unknown_packets(), 2);
  EXPECT_EQ(reader.bad_bytes(), 0);
}

TEST(SpeOperation, TellsWhichMemoryAccessItIs) {
  const auto memory = [](u8 subclass) { return SpeOperation{spe_class::LoadStore, subclass}; };
  EXPECT_TRUE(memory(0x06).is_atomic() && !memory(0x0a).is_atomic());
  EXPECT_TRUE(memory(0x0a).is_exclusive() && memory(0x12).is_ordered());
  EXPECT_TRUE(memory(0x38).is_sve());
  EXPECT_EQ(memory(0x38).vector_length(), 256);
  EXPECT_FALSE(SpeOperation().is_memory() || SpeOperation().is_conditional() || SpeOperation().is_sve());
  EXPECT_TRUE((SpeOperation{spe_class::Other, 8}.is_sve()));
}

// A trace with one packet of each kind.
Trace everything() {
  return load_trace(0x401000, 1000)
      .raw({0x00, 0x20, 0x03, 0x00})
      .pc(0x401010)
      .store()
      .put(0x72, 0x3e, 8)
      .physical(0x81000)
      .put(0x53, 0x1234, 2)
      .raw({0x21})
      .put(0x98, 5, 2)
      .end()
      .pc(0x401020)
      .branch()
      .target(0x401100)
      .timestamp(3000);
}

// Reads to the end. Every byte is either in a packet or counted as bad.
void read_all(Bytes bytes) {
  SpeRecordReader reader;
  EXPECT_LE(all(reader, bytes).size(), bytes.size());
  EXPECT_LE(reader.bad_bytes(), bytes.size());
  for (Bytes rest = bytes; !rest.empty();) {
    const SpePacket packet = decode_spe_packet(rest);
    ASSERT_GE(packet.size, 1);
    ASSERT_LE(packet.size, rest.size());
    EXPECT_FALSE(spe_packet_text(packet).empty());
    rest = rest.subspan(packet.size);
  }
}

TEST(SpeHostile, EveryTruncation) {
  const Trace trace = everything();
  for (std::size_t size = 0; size <= trace.bytes().size(); ++size) {
    const std::vector<std::byte> cut(trace.bytes().begin(), trace.bytes().begin() + static_cast<std::ptrdiff_t>(size));
    read_all(cut);
  }
}

TEST(SpeHostile, EveryByteAsAnyOther) {
  Trace trace = everything();
  for (std::byte& byte : trace.storage()) {
    const std::byte before = byte;
    for (unsigned value = 0; value < 256; ++value) {
      byte = static_cast<std::byte>(value);
      read_all(trace.bytes());
    }
    byte = before;
  }
}

}  // namespace
}  // namespace peregrine
