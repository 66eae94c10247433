#include "data/stream/record_stream.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <utility>

#include "abi/record_places.h"
#include "abi/record_rows.h"
#include "base/bytes.h"
#include "base/result.h"
#include "base/types.h"

namespace peregrine::data {
namespace {

constexpr u64 kWorthAThread = u64{8} << 20;
constexpr u32 kAuxtrace = static_cast<u32>(abi::RecordType::Auxtrace);
constexpr u32 kTracingData = static_cast<u32>(abi::RecordType::HeaderTracingData);
constexpr u32 kFeature = static_cast<u32>(abi::RecordType::HeaderFeature);
constexpr u32 kCompressed = static_cast<u32>(abi::RecordType::Compressed);
constexpr u32 kCompressed2 = static_cast<u32>(abi::RecordType::Compressed2);

// Whether neither the kernel nor linux-perf writes records with this type and size.
bool is_odd(u32 type, u16 size) { return type - 1 >= 127 || (type < 64 && size % 8 != 0); }

}  // namespace

void RecordStream::fill(StreamRecord& out, Chunk& chunk, std::size_t place, u16 size) const {
  const std::byte* at = chunk.memory.get() + place;
  out.view.type = static_cast<abi::RecordType>(load<u32>(at, order_));
  out.view.misc = load<u16>(at + 4, order_);
  out.view.bytes = {at, size};
  out.view.order = order_;
  out.view.payload = {};
  out.chunk = &chunk;
  out.place = static_cast<u32>(place);
}

bool RecordStream::next(StreamRecord& out) {
  if (payload_left_ != 0) pass_payload(nullptr);
  for (;;) {
    if (inside_ && next_decompressed(out)) return true;
    if (filled_ - at_ < abi::kRecordHeaderSize && !refill(abi::kRecordHeaderSize)) {
      if (!end_input()) return false;
      continue;
    }
    u16 size = load<u16>(chunk_->memory.get() + at_ + 6, order_);
    u32 type = load<u32>(chunk_->memory.get() + at_, order_);
    if (size < abi::kRecordHeaderSize || is_odd(type, size)) [[unlikely]] {
      if (skip_zeroes() || !starts_odd_record(type, size)) continue;
    }
    if (filled_ - at_ < size && !refill(size)) {
      if (!find_boundary(account_.cut) && !end_input()) return false;
      continue;
    }
    fill(out, *chunk_, at_, size);
    out.view.offset = chunk_->origin.file_offset + at_;
    out.view.compressed = false;
    at_ += size;
    account_.bytes += size;
    if (old_numbers_ && type > static_cast<u32>(abi::RecordType::FinishedRound) && type <= kFeature) type = kFeature;
    ++account_.by_type[type < 127 ? type : 127];
    if (type == kCompressed || type == kCompressed2) {
      start_compressed(out.view);
      continue;
    }
    ++account_.records;
    if (type == kAuxtrace || type == kTracingData) payload_left_ = abi::payload_size(out.view);
    return true;
  }
}

RecordStream::Front RecordStream::front() const {
  if (payload_left_ != 0) return {};
  if (inside_ && inner_ != nullptr) return {inner_, inner_at_, inner_filled_ - inner_at_};
  if (inside_ || chunk_ == nullptr) return {};
  return {chunk_, at_, filled_ - at_};
}

void RecordStream::pass_samples(std::size_t size, u64 records) {
  if (inside_) {
    inner_at_ += size;
  } else {
    at_ += size;
    account_.bytes += size;
  }
  account_.by_type[static_cast<std::size_t>(abi::RecordType::Sample)] += records;
  account_.records += records;
}

bool RecordStream::at_input_end() const { return input_ended_ || inputs_[current_].at >= inputs_[current_].end; }

void RecordStream::use_old_numbers() {
  old_numbers_ = true;
  --account_.by_type[static_cast<u32>(abi::RecordType::IdIndex)];
  ++account_.by_type[kFeature];
}

// Makes at least `wanted` bytes available at at_. Returns false if the input has fewer.
bool RecordStream::refill(std::size_t wanted) {
  if (inputs_.empty()) return false;
  const Input& input = inputs_[current_];
  if (ahead_ == nullptr && chunk_ == nullptr && may_read_ahead_ && input.seekable && input.at < input.end &&
      input.end - input.at >= kWorthAThread) {
    ahead_ = std::make_unique<ReadAhead>(input.fd.get(), input.at, input.end, Chunk::kSize);
  }
  if (wanted > ReadAhead::kMargin) stop_reading_ahead();  // a search in damaged bytes needs more than block by block
  if (ahead_ != nullptr) {
    while (filled_ - at_ < wanted) {
      if (!take_block()) return false;
    }
    return true;
  }
  if (chunk_ == nullptr || Chunk::kSize - at_ < wanted || filled_ == Chunk::kSize) roll();
  while (filled_ - at_ < wanted) {
    if (!read_some()) return false;
  }
  return true;
}

// Takes the next block that was read ahead as a new chunk, prefixed with the rest of the old chunk. Returns false at
// the end.
bool RecordStream::take_block() {
  if (input_ended_) return false;
  Chunk& fresh = pool_.take();
  ReadAhead::Block block = ahead_->next(std::move(fresh.memory));
  fresh.memory = std::move(block.memory);
  if (block.size == 0) {
    pool_.drop_memory(fresh);
    pool_.release(fresh);
    if (block.error != 0) {
      errno = block.error;
      error_ = fail_errno(fmt::format("cannot read at offset {:#x}", block.offset)).error();
    }
    input_ended_ = true;
    return false;
  }
  const std::size_t left = filled_ - at_;
  fresh.origin.file_offset = block.offset - ReadAhead::kMargin;
  fresh.input = static_cast<u32>(current_);
  if (chunk_ != nullptr) {
    std::memcpy(fresh.memory.get() + ReadAhead::kMargin - left, chunk_->memory.get() + at_, left);
    pool_.release(*chunk_);
  }
  chunk_ = &fresh;
  at_ = ReadAhead::kMargin - left;
  filled_ = ReadAhead::kMargin + block.size;
  inputs_[current_].at = block.offset + block.size;
  return true;
}

// Moves the unread rest of the chunk to the start of a new one.
void RecordStream::roll() {
  const std::size_t left = filled_ - at_;
  // The only reference is ours: no record that waits elsewhere is in this chunk, so its memory can be used again.
  if (chunk_ != nullptr && chunk_->references == 1) {
    std::memmove(chunk_->memory.get(), chunk_->memory.get() + at_, left);
    chunk_->origin.file_offset += at_;
  } else {
    Chunk& fresh = pool_.take();
    fresh.origin.file_offset = inputs_[current_].at - left;
    fresh.input = static_cast<u32>(current_);
    if (chunk_ != nullptr) {
      std::memcpy(fresh.memory.get(), chunk_->memory.get() + at_, left);
      pool_.release(*chunk_);
    }
    chunk_ = &fresh;
  }
  at_ = 0;
  filled_ = left;
}

// Reads once into the free end of the chunk. Returns false at the end of the input or on an error.
bool RecordStream::read_some() {
  Input& input = inputs_[current_];
  if (at_input_end()) return false;
  const u64 room = std::min<u64>(Chunk::kSize - filled_, input.end - input.at);
  std::byte* to = chunk_->memory.get() + filled_;
  ssize_t got = 0;
  do {
    got = input.seekable ? ::pread(input.fd.get(), to, room, static_cast<off_t>(input.at))
                         : ::read(input.fd.get(), to, room);
  } while (got < 0 && errno == EINTR);
  if (got < 0) {
    error_ = fail_errno(fmt::format("cannot read at offset {:#x}", input.at)).error();
    return false;
  }
  if (got == 0) {
    input_ended_ = true;
    return false;
  }
  filled_ += static_cast<std::size_t>(got);
  input.at += static_cast<u64>(got);
  return true;
}

// Counts the remaining bytes of a truncated input and moves on to the next one. Returns false if there is none.
bool RecordStream::end_input() {
  if (filled_ != at_) {
    account_.cut.add(chunk_->origin.file_offset + at_, filled_ - at_);
    at_ = filled_;
  }
  if (error_ || current_ + 1 >= inputs_.size()) return false;
  ++current_;
  // Each file has its own zstd stream, and records never span files.
  decoder_.reset();
  inner_at_ = inner_filled_;
  input_ended_ = false;
  ahead_.reset();
  if (chunk_ != nullptr) {
    pool_.release(*chunk_);
    chunk_ = nullptr;
  }
  at_ = filled_ = 0;
  return true;
}

std::vector<std::byte> RecordStream::take_payload() {
  std::vector<std::byte> payload;
  pass_payload(&payload);
  return payload;
}

Bytes RecordStream::next_payload() {
  if (payload_left_ == 0) return {};
  if (filled_ == at_ && !refill(1)) {
    account_.cut.add(inputs_[current_].at, payload_left_);
    payload_left_ = 0;
    return {};
  }
  const std::size_t part = static_cast<std::size_t>(std::min<u64>(payload_left_, filled_ - at_));
  const Bytes piece{chunk_->memory.get() + at_, part};
  at_ += part;
  payload_left_ -= part;
  account_.bytes += part;
  return piece;
}

// Skips the payload. In a seekable file this only changes the read offset.
void RecordStream::pass_payload(std::vector<std::byte>* keep) {
  const u64 start = chunk_->origin.file_offset + at_, size = payload_left_;
  payload_left_ = 0;
  if (keep == nullptr && inputs_[current_].seekable && size > inputs_[current_].end - start) {
    find_boundary(account_.cut, 0);
    return;
  }
  u64 left = size;
  while (left > 0) {
    if (filled_ == at_) {
      Input& input = inputs_[current_];
      if (keep == nullptr && input.seekable) {
        const u64 passed = std::min(left, input.end - input.at);
        input.at += passed;
        left -= passed;
        restart_chunk();
        break;
      }
      if (!refill(1)) break;
    }
    const std::size_t part = static_cast<std::size_t>(std::min<u64>(left, filled_ - at_));
    if (keep != nullptr) keep->insert(keep->end(), chunk_->memory.get() + at_, chunk_->memory.get() + at_ + part);
    at_ += part;
    left -= part;
  }
  if (left > 0) {
    account_.cut.add(start, size - left);
  } else {
    account_.bytes += size;
  }
}

void RecordStream::stop_reading_ahead() {
  ahead_.reset();
  may_read_ahead_ = false;
}

void RecordStream::restart_chunk() {
  stop_reading_ahead();
  if (chunk_ != nullptr) pool_.release(*chunk_);
  chunk_ = nullptr;
  at_ = filled_ = 0;
}

bool RecordStream::is_large() const {
  u64 size = 0;
  for (const Input& input : inputs_) {
    if (!input.seekable) return false;
    size += input.at < input.end ? input.end - input.at : 0;
  }
  return size >= kWorthAThread;
}

bool RecordStream::would_block() const {
  if (current_ >= inputs_.size() || inputs_[current_].seekable) return false;
  pollfd waiting{inputs_[current_].fd.get(), POLLIN, 0};
  return ::poll(&waiting, 1, 0) == 0;
}

Result<std::size_t> RecordStream::read_again(u32 input, u64 offset, std::span<std::byte> out) const {
  const Input& from = inputs_[input];
  const u64 size = offset < from.end ? std::min<u64>(out.size(), from.end - offset) : 0;
  return pread_full(from.fd.get(), out.data(), static_cast<std::size_t>(size), offset);
}

}  // namespace peregrine::data
