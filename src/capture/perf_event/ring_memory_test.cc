// Rings in a file that the test writes as the kernel would: control page, data, head and tail.
#include <gtest/gtest.h>
#include <linux/perf_event.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <unistd.h>

#include <bit>
#include <cstddef>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/fd.h"
#include "base/types.h"
#include "capture/perf_event/ring_buffer.h"
#include "support/memory_file.h"

namespace peregrine {
namespace {

class RingMemory : public ::testing::Test {
 protected:
  RingMemory() : file_(support::memory_file()) {
    EXPECT_EQ(::ftruncate(file_.get(), static_cast<off_t>(page_ + size_)), 0);
    void* base = ::mmap(nullptr, page_ + size_, PROT_READ | PROT_WRITE, MAP_SHARED, file_.get(), 0);
    EXPECT_NE(base, MAP_FAILED);
    base_ = static_cast<std::byte*>(base);
  }
  ~RingMemory() override { ::munmap(base_, page_ + size_); }

  perf_event_mmap_page& control() { return *reinterpret_cast<perf_event_mmap_page*>(base_); }
  // A record of `size` bytes at a position that only grows (or only falls, in a backward ring), as in the kernel.
  void put_at(u64 position, std::size_t size, u64 mark) {
    std::vector<u64> words(size / 8, mark);
    words[0] = u64{PERF_RECORD_SAMPLE} | u64{size} << 48;
    for (std::size_t i = 0; i < words.size(); ++i)
      std::memcpy(base_ + page_ + (position + i * 8) % size_, &words[i], sizeof words[i]);
  }
  // Appends a record and moves the head.
  void write(std::size_t size, u64 mark) {
    put_at(control().data_head, size, mark);
    control().data_head += size;
  }
  // In a backward ring, the head falls.
  void write_backward(std::size_t size, u64 mark) {
    control().data_head -= size;
    put_at(control().data_head, size, mark);
  }
  RingBuffer map(bool backward = false) {
    auto ring = RingBuffer::map(file_.get(), size_, backward);
    EXPECT_TRUE(ring) << ring.error().message;
    return std::move(*ring);
  }
  // The marks of the records that a ring lends, in order.
  static std::vector<u64> marks(const RingSpan& span) {
    std::vector<std::byte> bytes(span.first.begin(), span.first.end());
    bytes.insert(bytes.end(), span.second.begin(), span.second.end());
    std::vector<u64> marks;
    for (std::size_t at = 0; at + 16 <= bytes.size();) {
      marks.push_back(load<u64>(bytes.data() + at + 8));
      at += load<u16>(bytes.data() + at + 6);
    }
    return marks;
  }

  std::size_t page_ = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)), size_ = page_;
  Fd file_;
  std::byte* base_ = nullptr;
};

TEST_F(RingMemory, LendsWhatIsBetweenTailAndHead) {
  const RingBuffer ring = map();
  EXPECT_EQ(ring.capacity(), size_);
  EXPECT_TRUE(ring.available().empty());
  write(16, 1);
  write(24, 2);
  EXPECT_EQ(ring.available().size(), 40u);
  EXPECT_TRUE(ring.available().second.empty()) << "it does not wrap";
  EXPECT_EQ(marks(ring.available()), (std::vector<u64>{1, 2}));
}

TEST_F(RingMemory, GivesConsumedBytesBackToTheKernel) {
  RingBuffer ring = map();
  write(16, 1);
  write(24, 2);
  ring.consume(16);
  EXPECT_EQ(control().data_tail, 16u);
  EXPECT_EQ(marks(ring.available()), (std::vector<u64>{2}));
  ring.consume(24);
  EXPECT_EQ(control().data_tail, control().data_head);
  EXPECT_TRUE(ring.available().empty());
}

TEST_F(RingMemory, LendsTwoPartsWhereTheDataWraps) {
  RingBuffer ring = map();
  control().data_head = control().data_tail = size_ - 16;
  write(40, 7);  // 16 bytes before the end, 24 at the start
  write(16, 8);
  const RingSpan span = ring.available();
  EXPECT_EQ(span.first.size(), 16u);
  EXPECT_EQ(span.second.size(), 40u);
  EXPECT_EQ(marks(span), (std::vector<u64>{7, 8}));
  EXPECT_EQ(whole_records(span), 56u);
  ring.consume(span.size());
  EXPECT_EQ(control().data_tail, size_ + 40) << "positions are never reduced to the size";
  EXPECT_TRUE(ring.available().empty());
}

TEST_F(RingMemory, LendsAFullRing) {
  RingBuffer ring = map();
  constexpr u64 kFar = u64{1} << 40;  // after a long recording
  for (const u64 start : {u64{0}, kFar, kFar + 512}) {
    control().data_head = control().data_tail = start;
    while (control().data_head - start < size_) write(64, control().data_head);
    const RingSpan span = ring.available();
    EXPECT_EQ(span.size(), size_) << start;
    EXPECT_EQ(span.second.size(), start % size_) << start;
    EXPECT_EQ(marks(span).size(), size_ / 64) << start;
    ring.consume(span.size());
  }
}

// The newest record is first: the kernel writes downward from 0, and the positions wrap below it.
TEST_F(RingMemory, LendsABackwardRingNewestFirst) {
  RingBuffer ring = map(true);
  EXPECT_TRUE(ring.backward());
  EXPECT_TRUE(ring.available().empty());
  for (const u64 mark : {1, 2, 3}) write_backward(32, mark);
  EXPECT_EQ(marks(ring.available()), (std::vector<u64>{3, 2, 1}));
  EXPECT_EQ(marks(ring.available()), (std::vector<u64>{3, 2, 1})) << "until they are consumed";
  ring.consume(ring.available().size());
  EXPECT_TRUE(ring.available().empty());
  for (const u64 mark : {4, 5}) write_backward(32, mark);
  EXPECT_EQ(marks(ring.available()), (std::vector<u64>{5, 4})) << "since then";
}

TEST_F(RingMemory, LeavesOutTheRecordThatTheHeadHasRunOver) {
  const RingBuffer ring = map(true);
  constexpr std::size_t kRecord = 48;  // does not divide the ring size, so the oldest record is cut
  const std::size_t count = 3 * size_ / kRecord;
  for (u64 mark = 1; mark <= count; ++mark) write_backward(kRecord, mark);
  const std::vector<u64> lent = marks(ring.available());
  ASSERT_EQ(lent.size(), size_ / kRecord);
  for (std::size_t i = 0; i < lent.size(); ++i) EXPECT_EQ(lent[i], count - i);
}

TEST_F(RingMemory, MovesWithItsMapping) {
  RingBuffer first = map();
  write(16, 1);
  RingBuffer second(std::move(first));
  EXPECT_EQ(marks(second.available()), (std::vector<u64>{1}));
  EXPECT_EQ(second.capacity(), size_);
}

TEST_F(RingMemory, ConvertsClocksOnlyWhereTheKernelAllows) {
  const RingBuffer ring = map();
  control().time_shift = 10;
  control().time_mult = 1365;
  control().time_zero = 5'000'000'000;
  EXPECT_FALSE(ring.clock());
  control().cap_user_time_zero = 1;
  const auto clock = ring.clock();
  ASSERT_TRUE(clock);
  EXPECT_EQ(clock->time_shift, 10u);
  EXPECT_EQ(clock->time_mult, 1365u);
  EXPECT_EQ(clock->time_zero, 5'000'000'000u);
  EXPECT_FALSE(clock->user_time_short);
  control().cap_user_time_short = 1;  // a narrower counter wraps, so conversion needs more data
  control().time_cycles = 7;
  control().time_mask = (u64{1} << 56) - 1;
  EXPECT_TRUE(ring.clock()->user_time_short);
  EXPECT_EQ(ring.clock()->time_cycles, 7u);
  EXPECT_EQ(ring.clock()->time_mask, (u64{1} << 56) - 1);
}

TEST(RingMapping, NeedsADescriptorThatCanBeMapped) {
  const auto ring = RingBuffer::map(-1, static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)));
  ASSERT_FALSE(ring);
  EXPECT_EQ(ring.error().message, "cannot map a ring buffer: Bad file descriptor");
}

TEST(RingSpans, EndAtARecordThatIsTooSmall) {
  ByteWriter bytes;
  bytes.put32(PERF_RECORD_SAMPLE).put16(0).put16(16).put64(1);
  bytes.put32(PERF_RECORD_SAMPLE).put16(0).put16(4);  // smaller than its header
  bytes.put32(PERF_RECORD_SAMPLE).put16(0).put16(16).put64(1);
  const RingSpan span{bytes.bytes(), {}};
  EXPECT_EQ(whole_records(span), 16u);
  RingTally tally;
  tally_records(span, tally);
  EXPECT_EQ(tally.samples, 1u);
}

TEST(RingTallies, AddUpAndKnowLosses) {
  RingTally all;
  EXPECT_TRUE(all.lossless());
  all.add({.samples = 10});
  EXPECT_TRUE(all.lossless()) << "samples are no loss";
  struct Case {
    const char* what;
    RingTally tally;
  };
  for (const Case& each : {Case{"records", {.lost_records = 3, .lost_chunks = 1}}, Case{"samples", {.lost_samples = 2}},
                           Case{"throttled", {.throttles = 1}}}) {
    EXPECT_FALSE(each.tally.lossless()) << each.what;
    all.add(each.tally);
  }
  EXPECT_EQ(all.samples, 10u);
  EXPECT_EQ(all.lost_records, 3u);
  EXPECT_EQ(all.lost_chunks, 1u);
  EXPECT_EQ(all.lost_samples, 2u);
  EXPECT_EQ(all.throttles, 1u);
}

TEST(RingSizes, RejectWithLinuxPerfsText) {
  for (const char* text : {"", "0", "0M", "M", "-1", "12KB", "1 M", "1.5M"}) {
    const auto size = parse_ring_size(text);
    ASSERT_FALSE(size) << text;
    EXPECT_EQ(size.error().message, "Invalid argument for --mmap_pages/-m") << text;
  }
  for (const char* text : {"1025G", "1099511627777", "1099511627776"}) {
    const auto size = parse_ring_size(text);
    ASSERT_FALSE(size) << text;
    EXPECT_EQ(size.error().message, "--mmap_pages/-m value too big") << text;
  }
  EXPECT_EQ(parse_ring_size("1024G"), std::size_t{1} << 40) << "the largest";
}

TEST(RingSizes, AreAlwaysAPowerOfTwoOfPages) {
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  for (const std::optional<i64> limit :
       {std::optional<i64>(), std::optional<i64>(-1), std::optional<i64>(4), std::optional<i64>(516),
        std::optional<i64>(1000), std::optional<i64>(1 << 20)}) {
    const std::size_t size = default_ring_size(limit);
    EXPECT_EQ(size % page, 0u) << limit.value_or(0);
    EXPECT_TRUE(std::has_single_bit(size / page)) << limit.value_or(0);
    const i64 allowed = limit.value_or(516) * 1024;
    if (allowed >= static_cast<i64>(2 * page)) EXPECT_LE(static_cast<i64>(size + page), allowed);
  }
}

}  // namespace
}  // namespace peregrine
