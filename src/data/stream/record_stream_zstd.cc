// RecordStream's decoding of COMPRESSED records. Format: docs/perf-data.md, "Compression".
#include <algorithm>
#include <cstring>

#include "abi/record.h"
#include "abi/record_rows.h"
#include "base/bytes.h"
#include "base/types.h"
#include "data/stream/chunk.h"
#include "data/stream/record_stream.h"

namespace peregrine::data {

// COMPRESSED: the zstd stream fills the record. COMPRESSED2: u64 size, the stream, padding.
void RecordStream::start_compressed(const abi::RecordView& record) {
  Bytes body = record.body();
  if (record.type == abi::RecordType::Compressed2) {
    const u64 size = body.size() < 8 ? ~u64{0} : load<u64>(body.data(), order_);
    if (size > body.size() - std::min<std::size_t>(8, body.size())) {
      account_.bad_compressed.add(record.offset, record.bytes.size());
      return;
    }
    body = body.subspan(8, static_cast<std::size_t>(size));
  }
  inside_ = true;
  compressed_left_ = body;
  compressed_at_ = record.offset;
  account_.compressed_bytes += body.size();
  if (!decoder_) decoder_.emplace();
  if (inner_ != nullptr) inner_->origin.parts.push_back({static_cast<u32>(inner_filled_), compressed_at_});
}

// Takes the next record out of the COMPRESSED record. Returns false if no complete one is left. An incomplete record
// waits for the next COMPRESSED record.
bool RecordStream::next_decompressed(StreamRecord& out) {
  for (;;) {
    const std::size_t ready = inner_filled_ - inner_at_;
    std::size_t wanted = abi::kRecordHeaderSize;
    if (ready >= abi::kRecordHeaderSize) {
      wanted = load<u16>(inner_->memory.get() + inner_at_ + 6, order_);
      if (wanted < abi::kRecordHeaderSize) {
        drop_compressed();
        return false;
      }
    }
    if (ready < wanted) {
      if (decompress_more()) continue;
      return false;
    }
    fill(out, *inner_, inner_at_, static_cast<u16>(wanted));
    out.view.offset = inner_->offset_of(static_cast<u32>(inner_at_));
    out.view.compressed = true;
    inner_at_ += wanted;
    const u32 type = static_cast<u32>(out.view.type);
    ++account_.by_type[type < 127 ? type : 127];
    ++account_.records;
    return true;
  }
}

// Decompresses one step. Returns false if the COMPRESSED record is used up or damaged.
bool RecordStream::decompress_more() {
  if (inner_ == nullptr || inner_filled_ == Chunk::kSize) {
    const std::size_t left = inner_filled_ - inner_at_;
    Chunk& fresh = pool_.take();
    fresh.origin.compressed = true;
    fresh.origin.parts.push_back(
        {0, inner_ == nullptr ? compressed_at_ : inner_->offset_of(static_cast<u32>(inner_at_))});
    fresh.origin.parts.push_back({static_cast<u32>(left), compressed_at_});
    if (inner_ != nullptr) {
      std::memcpy(fresh.memory.get(), inner_->memory.get() + inner_at_, left);
      pool_.release(*inner_);
    }
    inner_ = &fresh;
    inner_at_ = 0;
    inner_filled_ = left;
  }
  const auto step =
      decoder_->run(compressed_left_, {inner_->memory.get() + inner_filled_, Chunk::kSize - inner_filled_});
  if (!step) {
    drop_compressed();
    return false;
  }
  compressed_left_ = compressed_left_.subspan(step->consumed);
  inner_filled_ += step->produced;
  account_.decompressed_bytes += step->produced;
  if (step->produced == 0) inside_ = false;
  return step->produced != 0;
}

void RecordStream::drop_compressed() {
  account_.bad_compressed.add(compressed_at_, compressed_left_.size());
  inside_ = false;
  inner_at_ = inner_filled_;
}

}  // namespace peregrine::data
