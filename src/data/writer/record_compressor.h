// RecordCompressor: packs records into COMPRESSED records of one zstd stream.
//
// Fed by Writer. linux-perf decompresses each COMPRESSED record into a buffer of CompressionParameters::mmap_length
// bytes and drops the rest, so a record contains at most kMostRaw bytes. Not thread safe.
#pragma once
#include <cstddef>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "base/types.h"
#include "data/stream/zstd_stream.h"

namespace peregrine::data {

class RecordCompressor {
 public:
  static constexpr u32 kMostRaw = 512u << 10;       // maximum decompressed size of one COMPRESSED record
  static constexpr u32 kMmapLength = 2 * kMostRaw;  // minimum value for the header

  explicit RecordCompressor(int level) : encoder_(level) {}

  // Takes the bytes and appends finished COMPRESSED records to `out`.
  Result<> add(Bytes raw, std::vector<std::byte>& out);
  // Appends everything taken so far.
  Result<> flush(std::vector<std::byte>& out);

 private:
  Result<bool> step(Bytes& raw, bool flush, std::vector<std::byte>& out);
  void close(std::vector<std::byte>& out);

  ZstdEncoder encoder_;
  std::vector<std::byte> record_;  // record being filled, header first
  std::size_t raw_in_record_ = 0;  // uncompressed bytes in it
  bool pending_ = false;           // the encoder holds back bytes
};

}  // namespace peregrine::data
