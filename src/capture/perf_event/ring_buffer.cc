#include "capture/perf_event/ring_buffer.h"

#include <linux/perf_event.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <utility>

#include "abi/record.h"
#include "abi/record_rows.h"
#include "base/number/parse_number.h"
#include "base/types.h"

namespace peregrine {
namespace {

std::size_t page_size() { return static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)); }

perf_event_mmap_page* control_page(std::byte* base) { return reinterpret_cast<perf_event_mmap_page*>(base); }

// Reads a u64 at any offset of a two-part span. Offsets and parts are 8-byte aligned, so no value is split.
u64 word_at(const RingSpan& span, std::size_t offset) {
  const Bytes& part = offset < span.first.size() ? span.first : span.second;
  const std::size_t at = offset < span.first.size() ? offset : offset - span.first.size();
  return load<u64>(part.data() + at);
}

}  // namespace

Result<RingBuffer> RingBuffer::map(int fd, std::size_t data_bytes, bool backward) {
  const std::size_t page = page_size();
  // The kernel overwrites old records only in a read-only mapping.
  void* base = ::mmap(nullptr, page + data_bytes, backward ? PROT_READ : PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (base == MAP_FAILED) return fail_errno("cannot map a ring buffer");
  return RingBuffer(static_cast<std::byte*>(base), data_bytes, page, backward);
}

RingBuffer::RingBuffer(RingBuffer&& other) noexcept
    : base_(std::exchange(other.base_, nullptr)),
      size_(other.size_),
      page_(other.page_),
      backward_(other.backward_),
      seen_(other.seen_) {}

RingBuffer::~RingBuffer() {
  if (base_ != nullptr) ::munmap(base_, page_ + size_);
}

RingSpan RingBuffer::available() const {
  auto* control = control_page(base_);
  const u64 head = std::atomic_ref(control->data_head).load(std::memory_order_acquire);
  if (!backward_) {
    // Only this process writes the tail. The acquire above makes the records up to the head visible.
    const u64 tail = control->data_tail;
    return span_from(tail, static_cast<std::size_t>(head - tail));
  }
  // Bytes since the last call, or all of the ring if the kernel has gone around. The oldest record is then cut, which
  // whole_records() removes.
  const RingSpan written = span_from(head, static_cast<std::size_t>(std::min<u64>(seen_ - head, size_)));
  return span_from(head, whole_records(written));
}

RingSpan RingBuffer::span_from(u64 position, std::size_t size) const {
  if (size == 0) return {};
  const std::size_t from = static_cast<std::size_t>(position) & (size_ - 1);
  const std::size_t straight = std::min(size, size_ - from);
  const std::byte* data = base_ + page_;
  return {Bytes(data + from, straight), Bytes(data, size - straight)};
}

void RingBuffer::consume(std::size_t bytes) {
  auto* control = control_page(base_);
  if (backward_) {
    seen_ = std::atomic_ref(control->data_head).load(std::memory_order_acquire);
    return;
  }
  // Release: the kernel may overwrite these bytes from now on, so all reads of them must be over.
  std::atomic_ref(control->data_tail).store(control->data_tail + bytes, std::memory_order_release);
}

std::optional<RingClock> RingBuffer::clock() const {
  auto* control = control_page(base_);
  RingClock clock;
  // A seqlock: the kernel makes `lock` odd while it writes. Retry until it is even and the same before and after.
  u32 sequence = 0;
  bool usable = false;
  do {
    sequence = std::atomic_ref(control->lock).load(std::memory_order_acquire);
    clock.time_shift = control->time_shift;
    clock.time_mult = control->time_mult;
    clock.time_zero = control->time_zero;
    clock.time_cycles = control->time_cycles;
    clock.time_mask = control->time_mask;
    clock.user_time_short = control->cap_user_time_short;
    usable = control->cap_user_time_zero;
    std::atomic_thread_fence(std::memory_order_acquire);
  } while ((sequence & 1) != 0 || std::atomic_ref(control->lock).load(std::memory_order_relaxed) != sequence);
  if (!usable) return std::nullopt;
  return clock;
}

Result<std::size_t> parse_ring_size(std::string_view text) {
  std::string_view unit = text;
  const u64 number = take_number<u64>(unit).value_or(0);
  constexpr std::string_view kUnits = "BKMG";
  if (number == 0 || unit.size() > 1 || (unit.size() == 1 && kUnits.find(unit[0]) == kUnits.npos)) {
    return fail(ErrorKind::Usage, "Invalid argument for --mmap_pages/-m");
  }
  const u64 page = page_size();
  const unsigned shift = unit.empty() ? 0 : static_cast<unsigned>(kUnits.find(unit[0])) * 10;
  if (number > (u64{1} << 40 >> shift)) return fail(ErrorKind::Usage, "--mmap_pages/-m value too big");
  const u64 pages = unit.empty() ? number : ((number << shift) + page - 1) / page;
  const u64 bytes = std::bit_ceil(pages) * page;
  if (bytes > u64{1} << 40) return fail(ErrorKind::Usage, "--mmap_pages/-m value too big");
  return static_cast<std::size_t>(bytes);
}

std::size_t default_ring_size(std::optional<i64> mlock_kb) {
  const std::size_t page = page_size();
  const i64 kilobytes = mlock_kb.value_or(516);
  const std::size_t bytes = kilobytes > 0 ? static_cast<std::size_t>(kilobytes) * 1024 : 0;
  // One page of the limit is the control page.
  if (bytes < 2 * page) return page;
  return std::bit_floor((bytes - page) / page) * page;
}

void RingTally::add(const RingTally& other) {
  samples += other.samples;
  lost_records += other.lost_records;
  lost_chunks += other.lost_chunks;
  lost_samples += other.lost_samples;
  throttles += other.throttles;
}

std::size_t whole_records(const RingSpan& span) {
  std::size_t at = 0;
  while (at + abi::kRecordHeaderSize <= span.size()) {
    const std::size_t size = word_at(span, at) >> 48;
    if (size < abi::kRecordHeaderSize || size > span.size() - at) break;
    at += size;
  }
  return at;
}

void tally_records(const RingSpan& span, RingTally& tally) {
  const std::size_t total = span.size();
  for (std::size_t at = 0; at + abi::kRecordHeaderSize <= total;) {
    const u64 header = word_at(span, at);
    const auto type = static_cast<abi::RecordType>(header & 0xffffffffu);
    const std::size_t size = header >> 48;
    if (size < abi::kRecordHeaderSize) return;
    switch (type) {
      case abi::RecordType::Sample:
        ++tally.samples;
        break;
      case abi::RecordType::Lost:  // u64 id, lost
        ++tally.lost_chunks;
        if (at + 24 <= total) tally.lost_records += word_at(span, at + 16);
        break;
      case abi::RecordType::LostSamples:  // u64 lost
        if (at + 16 <= total) tally.lost_samples += word_at(span, at + 8);
        break;
      case abi::RecordType::Throttle:
        ++tally.throttles;
        break;
      default:
        break;
    }
    at += size;
  }
}

}  // namespace peregrine
