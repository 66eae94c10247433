// RecordStream's recovery from bytes that are not records: odd headers, garbage, holes of zeroes. Format:
// docs/perf-data.md, "Damage".
#include <cstddef>

#include "abi/record.h"
#include "base/bytes.h"
#include "base/types.h"
#include "data/stream/account.h"
#include "data/stream/boundary.h"
#include "data/stream/record_stream.h"

namespace peregrine::data {

// Decides about an implausible header. Returns true if it starts a record of an unknown type after all, which is the
// case if plausible records follow it and none are inside it. Returns false after skipping garbage; the caller must
// try again.
bool RecordStream::starts_odd_record(u32 type, u16& size) {
  if (abi::is_simpleperf(type)) return starts_simpleperf_record(size);
  if (size >= abi::kRecordHeaderSize) {
    refill(size + kRunBytes);
    const Bytes bytes = {chunk_->memory.get() + at_, filled_ - at_};
    const bool ended = at_input_end();
    const bool followed =
        bytes.size() >= size && (is_record_run(bytes.subspan(size), ended, order_) || (bytes.size() == size && ended));
    std::size_t inside = abi::kRecordHeaderSize;
    while (followed && inside < size && !is_record_run(bytes.subspan(inside), ended, order_)) ++inside;
    if (followed && inside >= size) return true;
  }
  find_boundary(account_.garbage);
  return false;
}

// simpleperf stores the upper half of the size in misc. A view's size has only 16 bits, so a record beyond 64 kB
// becomes a bare header with the rest as payload.
bool RecordStream::starts_simpleperf_record(u16& size) {
  std::byte* at = chunk_->memory.get() + at_;
  const u64 whole = u64{load<u16>(at + 4, order_)} << 16 | size;
  if (whole <= 0xffff) {
    if (size >= abi::kRecordHeaderSize) return true;
    find_boundary(account_.garbage);
    return false;
  }
  payload_left_ = whole - abi::kRecordHeaderSize;
  size = abi::kRecordHeaderSize;
  store(at + 6, size, order_);
  return true;
}

// Skips at least `least` bytes, up to the next run of plausible records. Returns false if none follows; the rest then
// counts as `otherwise`.
bool RecordStream::find_boundary(SkippedBytes& otherwise, std::size_t least) {
  const u64 start = chunk_->origin.file_offset + at_;
  u64 passed = 0;
  for (std::size_t step = least;; step = 1) {
    if (filled_ - at_ <= kRunBytes && !at_input_end()) refill(kRunBytes + 1);
    if (filled_ - at_ < abi::kRecordHeaderSize + step) break;
    at_ += step;
    passed += step;
    if (is_record_run({chunk_->memory.get() + at_, filled_ - at_}, at_input_end(), order_)) {
      account_.garbage.add(start, passed);
      return true;
    }
  }
  otherwise.add(start, passed + filled_ - at_);
  at_ = filled_;
  return false;
}

// Skips zeroes in steps of 8 bytes. Returns false if there are none, so the record boundary is lost.
bool RecordStream::skip_zeroes() {
  const auto zero_at = [&] { return load<u64>(chunk_->memory.get() + at_) == 0; };
  if (!zero_at()) return false;
  const u64 start = chunk_->origin.file_offset + at_;
  u64 passed = 0;
  while (filled_ - at_ >= abi::kRecordHeaderSize || refill(abi::kRecordHeaderSize)) {
    if (!zero_at()) break;
    at_ += abi::kRecordHeaderSize;
    passed += abi::kRecordHeaderSize;
  }
  account_.zeroes.add(start, passed);
  return true;
}

}  // namespace peregrine::data
