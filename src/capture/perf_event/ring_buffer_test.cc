#include "capture/perf_event/ring_buffer.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <initializer_list>

#include "abi/record_rows.h"

namespace peregrine {
namespace {

std::size_t pages(std::size_t count) { return count * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)); }

TEST(RingSize, CountsPagesWithoutUnitAndBytesWithOne) {
  EXPECT_EQ(parse_ring_size("128"), pages(128));
  EXPECT_EQ(parse_ring_size("3"), pages(4));
  EXPECT_EQ(parse_ring_size("16M"), std::size_t{16} << 20);
  EXPECT_EQ(parse_ring_size("1B"), pages(1));
  EXPECT_FALSE(parse_ring_size(""));
  EXPECT_FALSE(parse_ring_size("0"));
  EXPECT_FALSE(parse_ring_size("5X"));
  EXPECT_FALSE(parse_ring_size("99999999999999G"));
}

TEST(RingSize, DefaultFitsBesideTheControlPage) {
  EXPECT_EQ(default_ring_size(516), std::size_t{512} << 10);
  EXPECT_EQ(default_ring_size(0), pages(1));
}

void put_record(ByteWriter& out, abi::RecordType type, std::initializer_list<u64> words) {
  out.put32(static_cast<u32>(type)).put16(0).put16(static_cast<u16>(8 + words.size() * 8));
  for (const u64 word : words) out.put64(word);
}

TEST(WholeRecords, LeavesOutWhatIsCut) {
  ByteWriter bytes;
  put_record(bytes, abi::RecordType::Sample, {1, 2});
  put_record(bytes, abi::RecordType::Sample, {3});
  bytes.zeros(32);
  const Bytes all = bytes.bytes();
  for (std::size_t cut = 8; cut <= all.size(); cut += 8) {
    EXPECT_EQ(whole_records({all.first(cut), all.subspan(cut)}), 40u);
  }
  EXPECT_EQ(whole_records({all.first(32), {}}), 24u);
  EXPECT_EQ(whole_records({all.first(16), {}}), 0u);
}

TEST(TallyRecords, CountsSamplesAndLossAcrossTheWrap) {
  ByteWriter bytes;
  put_record(bytes, abi::RecordType::Sample, {1, 2});
  put_record(bytes, abi::RecordType::Lost, {7, 40});
  put_record(bytes, abi::RecordType::LostSamples, {3});
  put_record(bytes, abi::RecordType::Throttle, {1, 2, 3});
  put_record(bytes, abi::RecordType::Sample, {5});
  const Bytes all = bytes.bytes();
  for (std::size_t cut = 8; cut <= all.size(); cut += 8) {
    RingTally tally;
    tally_records({all.first(cut), all.subspan(cut)}, tally);
    EXPECT_EQ(tally.samples, 2u);
    EXPECT_EQ(tally.lost_records, 40u);
    EXPECT_EQ(tally.lost_chunks, 1u);
    EXPECT_EQ(tally.lost_samples, 3u);
    EXPECT_EQ(tally.throttles, 1u);
  }
}

}  // namespace
}  // namespace peregrine
