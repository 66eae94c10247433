#include "capture/sampling/hit_reader.h"

#include <gtest/gtest.h>

#include <cstddef>

#include "abi/attr.h"
#include "abi/record_rows.h"
#include "base/bytes.h"
#include "base/types.h"
#include "support/byte_buffer.h"

namespace peregrine {
namespace {

namespace bit = abi::sample_bit;

constexpr u64 kFirstId = 501, kFirstIdOnAnotherCpu = 502, kSecondId = 601;
constexpr u64 kHitType = bit::Identifier | bit::Ip | bit::Tid | bit::Time;

// Two events in one ring: the second also samples its period.
EventList hit_events() {
  EventList events(2);
  for (EventSpec& event : events) {
    event.attr.sample_type = kHitType;
    event.attr.set(abi::attr_flag::SampleIdAll);
  }
  events[1].attr.sample_type |= bit::Period;
  return events;
}

class HitReaderTest : public ::testing::Test {
 protected:
  void put(abi::RecordType type, const std::vector<std::byte>& body) {
    ring_.put32(static_cast<u32>(type)).put16(0).put16(8 + body.size()).append(body);
  }
  void put_hit(u64 id, u64 time, u64 ip = 0x401000) {
    support::ByteBuffer body;
    body.put64(id).put64(ip).put32(10).put32(11).put64(time);
    if (id == kSecondId) body.put64(777);
    put(abi::RecordType::Sample, body.bytes());
  }
  // A thread's EXIT record, with the trailer of sample_id_all.
  void put_exit(u64 time) {
    support::ByteBuffer body;
    body.put32(10).put32(1).put32(11).put32(1).put64(time);
    body.put32(10).put32(11).put64(time).put64(kFirstId);
    put(abi::RecordType::Exit, body.bytes());
  }
  void read(HitReader& reader) { reader.read(ring_.bytes(), hits_, side_band_); }
  static HitReader reader(bool side_band = false) {
    const std::vector<u64> ids[] = {{kFirstId, kFirstIdOnAnotherCpu}, {kSecondId}};
    return HitReader(hit_events(), ids, side_band);
  }

  support::ByteBuffer ring_;
  std::vector<EventHit> hits_;
  std::vector<SideBandHit> side_band_;
};

TEST_F(HitReaderTest, FindsTheEventOfEachHit) {
  put_hit(kSecondId, 100);
  put_hit(kFirstId, 90);
  put_hit(kFirstIdOnAnotherCpu, 120);
  HitReader reader = this->reader();
  read(reader);
  ASSERT_EQ(hits_.size(), 3u) << "in the order of the ring; the stream sorts them";
  constexpr std::size_t kEvents[] = {1, 0, 0};
  constexpr u64 kTimes[] = {100, 90, 120};
  for (std::size_t i = 0; i < hits_.size(); ++i) {
    EXPECT_EQ(hits_[i].event, kEvents[i]) << i;
    EXPECT_EQ(hits_[i].time, kTimes[i]) << i;
  }
}

TEST_F(HitReaderTest, DecodesAHitByTheAttrOfItsEvent) {
  put_hit(kSecondId, 100, 0x1111);
  put_hit(kFirstId, 101, 0x2222);
  HitReader reader = this->reader();
  read(reader);
  ring_ = support::ByteBuffer();  // hits keep their records
  const abi::Sample* sample = reader.sample(hits_[0]);
  ASSERT_NE(sample, nullptr);
  EXPECT_EQ(sample->ip, 0x1111u);
  EXPECT_EQ(sample->pid, 10u);
  EXPECT_EQ(sample->tid, 11u);
  EXPECT_EQ(sample->period, 777u);
  sample = reader.sample(hits_[1]);
  ASSERT_NE(sample, nullptr);
  EXPECT_EQ(sample->ip, 0x2222u);
}

TEST_F(HitReaderTest, SkipsSamplesOfUnknownIds) {
  put_hit(12345, 100);
  put_hit(kFirstId, 101);
  HitReader reader = this->reader();
  read(reader);
  ASSERT_EQ(hits_.size(), 1u);
  EXPECT_EQ(hits_[0].time, 101u);
}

TEST_F(HitReaderTest, KeepsSideBandOnRequestOnly) {
  put_hit(kFirstId, 100);
  put_exit(150);
  put_hit(kFirstId, 160);
  HitReader without = reader(false);
  read(without);
  EXPECT_EQ(hits_.size(), 2u);
  EXPECT_TRUE(side_band_.empty());
  HitReader with = reader(true);
  read(with);
  EXPECT_EQ(hits_.size(), 4u) << "appended";
  ASSERT_EQ(side_band_.size(), 1u);
  EXPECT_EQ(side_band_[0].time, 150u);
  EXPECT_EQ(side_band_[0].record.size(), 8u + 24 + 24);
}

TEST_F(HitReaderTest, EndsAtARecordThatIsCut) {
  put_hit(kFirstId, 100);
  put_hit(kFirstId, 101);
  const std::vector<std::byte> all = ring_.bytes();
  const std::size_t half = all.size() / 2;
  for (std::size_t size = 0; size <= all.size(); ++size) {
    HitReader reader = this->reader();
    hits_.clear();
    reader.read(Bytes(all).first(size), hits_, side_band_);
    EXPECT_EQ(hits_.size(), size < half ? 0u : size < all.size() ? 1u : 2u) << size;
  }
}

TEST_F(HitReaderTest, HasNoSampleOfAMalformedHit) {
  put_hit(kFirstId, 100);
  HitReader reader = this->reader();
  read(reader);
  hits_[0].record.resize(12);
  EXPECT_EQ(reader.sample(hits_[0]), nullptr) << "cut";
  hits_[0].record = support::ByteBuffer().put32(9).put16(0).put16(16).put64(kFirstId).bytes();
  EXPECT_EQ(reader.sample(hits_[0]), nullptr) << "too short for its fields";
}

}  // namespace
}  // namespace peregrine
