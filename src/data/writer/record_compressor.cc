#include "data/writer/record_compressor.h"

#include <algorithm>
#include <cstddef>
#include <expected>
#include <span>
#include <vector>

#include "abi/record.h"
#include "abi/record_rows.h"
#include "base/bytes.h"
#include "base/result.h"
#include "base/types.h"

namespace peregrine::data {
namespace {

// The encoder may hold back up to one block (128 kB) of earlier input; half of kMostRaw leaves room for it.
constexpr std::size_t kRawPerRecord = RecordCompressor::kMostRaw / 2;
constexpr std::size_t kLargestRecord = 0xfff8;

}  // namespace

Result<> RecordCompressor::add(Bytes raw, std::vector<std::byte>& out) {
  if (!raw.empty()) pending_ = true;
  while (!raw.empty()) {
    if (auto done = step(raw, false, out); !done) return std::unexpected(done.error());
  }
  return {};
}

Result<> RecordCompressor::flush(std::vector<std::byte>& out) {
  Bytes nothing;
  while (pending_) {
    const auto done = step(nothing, true, out);
    if (!done) return std::unexpected(done.error());
    pending_ = !*done;
  }
  close(out);
  return {};
}

// Calls the encoder once. Returns true when a flush is complete. Moves a full record to `out`.
Result<bool> RecordCompressor::step(Bytes& raw, bool flush, std::vector<std::byte>& out) {
  const std::size_t used = std::max(record_.size(), abi::kRecordHeaderSize);
  record_.resize(kLargestRecord);
  const Bytes part = raw.first(std::min(raw.size(), kRawPerRecord - raw_in_record_));
  const auto done = encoder_.run(part, std::span(record_).subspan(used), flush);
  record_.resize(used + (done ? done->produced : 0));
  if (!done) return std::unexpected(done.error());
  raw = raw.subspan(done->consumed);
  raw_in_record_ += done->consumed;
  if (record_.size() == kLargestRecord || raw_in_record_ >= kRawPerRecord) close(out);
  return done->flushed;
}

void RecordCompressor::close(std::vector<std::byte>& out) {
  raw_in_record_ = 0;
  if (record_.size() <= abi::kRecordHeaderSize) return;
  ByteWriter header;
  header.put32(static_cast<u32>(abi::RecordType::Compressed)).put16(0).put16(static_cast<u16>(record_.size()));
  std::ranges::copy(header.bytes(), record_.begin());
  out.insert(out.end(), record_.begin(), record_.end());
  record_.clear();
}

}  // namespace peregrine::data
