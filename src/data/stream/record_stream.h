// RecordStream: cuts the bytes of one or more inputs into records. No other code finds record boundaries.
//
//   input ─ read ─▶ chunk ─ cut ─▶ record            a record cut off by the chunk's end moves to the next chunk
//                             └ COMPRESSED ─ zstd ─▶ chunk ─ cut ─▶ record
//
// Used by Reader. Skips zeroes, and garbage up to the next run of valid records. The payload after an AUXTRACE or
// TRACING_DATA record is skipped or kept. Not thread safe. Format:
// docs/perf-data.md, "Records", "Compression" and "Damage".
#pragma once
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "abi/record.h"
#include "base/bytes.h"
#include "base/fd.h"
#include "base/result.h"
#include "base/types.h"
#include "data/stream/account.h"
#include "data/stream/chunk.h"
#include "data/stream/read_ahead.h"
#include "data/stream/zstd_stream.h"

namespace peregrine::data {

// A span of a file, or a pipe.
struct Input {
  Fd fd;
  bool seekable = true;
  u64 at = 0;         // next byte to read
  u64 end = ~u64{0};  // offset after the last byte; a pipe just ends
};

struct StreamRecord {
  abi::RecordView view;
  Chunk* chunk = nullptr;  // the record's chunk
  u32 place = 0;           // offset in the chunk
};

class RecordStream {
 public:
  RecordStream(ByteOrder order, ReadAccount& account) : order_(order), account_(account) {}

  void add_input(Input input) { inputs_.push_back(std::move(input)); }
  // Input::at includes the bytes of a pipe that were read before the stream existed.
  const Input& input(std::size_t index) const { return inputs_[index]; }
  std::size_t input_count() const { return inputs_.size(); }

  // Gets the next record. Returns false at the end or after an error. The view is valid until the next call, or as
  // long as its chunk has a reference.
  bool next(StreamRecord& out);
  const std::optional<Error>& error() const { return error_; }

  // What was read but not cut yet; begins with a record. Empty before a payload. For callers that cut many plain
  // records themselves and then pass them.
  struct Front {
    Chunk* chunk = nullptr;
    std::size_t place = 0, size = 0;  // in the chunk
  };
  Front front() const;
  // Counts `records` samples, `size` bytes at the start of front(), as if next() had returned them.
  void pass_samples(std::size_t size, u64 records);

  u64 payload_size() const { return payload_left_; }  // of the last record from next()
  // Takes the payload of the last record from next(). The caller must hold a reference to the record's chunk and call
  // this before the next next().
  std::vector<std::byte> take_payload();
  // Same in pieces, each valid until the next call. Empty at the end.
  Bytes next_payload();

  // Call this after the first record of a pipe that uses types 69 to 80 for features (Google's perf 3.2).
  void use_old_numbers();
  bool old_numbers() const { return old_numbers_; }

  ChunkPool& pool() { return pool_; }
  // Whether the chunk is being filled and cut, so that its bytes must stay.
  bool reading(const Chunk& chunk) const { return &chunk == chunk_ || &chunk == inner_; }
  // Whether enough of the rest is in files to justify starting a thread.
  bool is_large() const;
  // Whether reading would wait for a pipe's writer.
  bool would_block() const;
  // Rereads bytes of a seekable input.
  Result<std::size_t> read_again(u32 input, u64 offset, std::span<std::byte> out) const;

 private:
  bool refill(std::size_t wanted);
  bool take_block();
  void stop_reading_ahead();
  void roll();
  bool read_some();
  bool skip_zeroes();
  bool starts_odd_record(u32 type, u16& size);
  bool starts_simpleperf_record(u16& size);
  bool find_boundary(SkippedBytes& otherwise, std::size_t least = 1);
  bool at_input_end() const;
  bool end_input();
  void pass_payload(std::vector<std::byte>* keep);
  void restart_chunk();
  void start_compressed(const abi::RecordView& record);
  bool next_decompressed(StreamRecord& out);
  bool decompress_more();
  void drop_compressed();
  void fill(StreamRecord& out, Chunk& chunk, std::size_t place, u16 size) const;

  ByteOrder order_;
  ReadAccount& account_;
  std::vector<Input> inputs_;
  std::size_t current_ = 0;  // index of the input
  std::optional<Error> error_;
  ChunkPool pool_;

  std::unique_ptr<ReadAhead> ahead_;  // of the current input, if that is large
  bool may_read_ahead_ = true;        // until something requires a jump

  Chunk* chunk_ = nullptr;  // chunk being cut
  std::size_t at_ = 0, filled_ = 0;
  bool input_ended_ = false;
  bool old_numbers_ = false;

  bool inside_ = false;  // a COMPRESSED record is being decoded
  Bytes compressed_left_;
  Chunk* inner_ = nullptr;  // chunk with its decompressed bytes
  std::size_t inner_at_ = 0, inner_filled_ = 0;
  u64 compressed_at_ = 0;  // file offset of the COMPRESSED record
  std::optional<ZstdDecoder> decoder_;

  u64 payload_left_ = 0;  // remaining payload bytes after the last record
};

}  // namespace peregrine::data
