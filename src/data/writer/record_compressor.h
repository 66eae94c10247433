// RecordCompressor: records → COMPRESSED records of one zstd stream.
//
// Fed by Writer. linux-perf decompresses each COMPRESSED record into a buffer of CompressionParameters::mmap_length
// bytes and drops the rest, so none contains more than kMostRaw bytes of records. Not thread safe.
#pragma once
#include "data/stream/zstd_stream.h"

namespace peregrine::data {

class RecordCompressor {
 public:
  static constexpr u32 kMostRaw = 512u << 10;       // bytes that one COMPRESSED record may decompress to
  static constexpr u32 kMmapLength = 2 * kMostRaw;  // what the header must promise at least

  explicit RecordCompressor(int level) : encoder_(level) {}

  // Takes the bytes; finished COMPRESSED records are appended to `out`.
  Result<> add(Bytes raw, std::vector<std::byte>& out);
  // Everything taken so far comes out.
  Result<> flush(std::vector<std::byte>& out);

 private:
  Result<bool> step(Bytes& raw, bool flush, std::vector<std::byte>& out);
  void close(std::vector<std::byte>& out);

  ZstdEncoder encoder_;
  std::vector<std::byte> record_;  // being filled, header first
  std::size_t raw_in_record_ = 0;  // taken in since it was begun
  bool pending_ = false;           // the encoder holds bytes back
};

}  // namespace peregrine::data
