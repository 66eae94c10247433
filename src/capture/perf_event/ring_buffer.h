// RingBuffer: memory shared with the kernel, which fills it with records; one per CPU (or per thread with
// --per-thread).
//
// available() lends the bytes between tail and head as one or two spans (two if they wrap); consume() returns them to
// the kernel. Records are 8-byte aligned, so a header never wraps, but a body may. One reader.
//
// The bytes of a backward ring (--overwrite) are never returned: the kernel writes downward over the oldest records.
// While writing is paused, available() lends what was written since the last consume(), newest first.
//
//          tail            head
//   |......[ first ........]......|        |second]....[ first ...|
#pragma once
#include <cstddef>
#include <optional>
#include <string_view>

#include "base/bytes.h"
#include "base/result.h"
#include "base/types.h"

namespace peregrine {

struct RingSpan {
  Bytes first, second;
  std::size_t size() const { return first.size() + second.size(); }
  bool empty() const { return first.empty(); }
};

// Clock conversion from the control page: time = zero + ((cycles · mult) >> shift).
struct RingClock {
  u16 time_shift = 0;
  u32 time_mult = 0;
  u64 time_zero = 0;
  u64 time_cycles = 0, time_mask = 0;
  bool user_time_short = false;
};

class RingBuffer {
 public:
  // Maps `data_bytes` (a power-of-two number of pages) after the control page. `backward` must match the event's
  // write_backward. Errors: mmap's.
  static Result<RingBuffer> map(int fd, std::size_t data_bytes, bool backward = false);
  RingBuffer(RingBuffer&& other) noexcept;
  RingBuffer& operator=(RingBuffer&&) = delete;
  ~RingBuffer();

  RingSpan available() const;
  void consume(std::size_t bytes);
  std::size_t capacity() const { return size_; }
  bool backward() const { return backward_; }
  // Empty if user space cannot convert (cap_user_time_zero is unset).
  std::optional<RingClock> clock() const;

 private:
  RingBuffer(std::byte* base, std::size_t size, std::size_t page, bool backward)
      : base_(base), size_(size), page_(page), backward_(backward) {}
  RingSpan span_from(u64 position, std::size_t size) const;
  std::byte* base_;   // the control page
  std::size_t size_;  // of the data after it
  std::size_t page_;
  bool backward_;
  u64 seen_ = 0;  // backward: the head at the last consume()
};

// Bytes of complete records in `span`, which starts at a record. A backward ring's oldest record is usually cut.
std::size_t whole_records(const RingSpan& span);

// Parses -m: N (pages) or N with B, K, M, G (bytes). Returns bytes, rounded up to a power-of-two number of pages.
// Errors (Usage).
Result<std::size_t> parse_ring_size(std::string_view text);
// linux-perf's size without -m: the largest power of two that fits in perf_event_mlock_kb next to the control page.
std::size_t default_ring_size(std::optional<i64> mlock_kb);

// Record headers seen in one ring, and losses the kernel reported.
struct RingTally {
  u64 samples = 0;
  u64 lost_records = 0;  // sum of LOST
  u64 lost_chunks = 0;   // LOST records
  u64 lost_samples = 0;  // sum of LOST_SAMPLES
  u64 throttles = 0;
  void add(const RingTally& other);
  bool lossless() const { return lost_records == 0 && lost_samples == 0 && throttles == 0; }
};
// Walks the record headers of a span that begins at a record.
void tally_records(const RingSpan& span, RingTally& tally);

}  // namespace peregrine
