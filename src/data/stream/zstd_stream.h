// ZstdDecoder, ZstdEncoder: streaming zstd for COMPRESSED records. No other code uses the library.
//
// A recording is one zstd stream, flushed at the end of each COMPRESSED record. Not thread safe.
#pragma once
#include <cstddef>
#include <memory>
#include <span>

#include "base/bytes.h"
#include "base/result.h"

namespace peregrine::data {

class ZstdDecoder {
 public:
  ZstdDecoder();
  ~ZstdDecoder();
  ZstdDecoder(const ZstdDecoder&) = delete;
  ZstdDecoder& operator=(const ZstdDecoder&) = delete;

  struct Step {
    std::size_t consumed = 0, produced = 0;
  };
  // Decompresses from `in` into `out` until one of them is used up. Malformed: not a zstd stream; the decoder then
  // restarts at the next frame.
  Result<Step> run(Bytes in, std::span<std::byte> out);

 private:
  struct Context;
  std::unique_ptr<Context> context_;
};

class ZstdEncoder {
 public:
  // `level`: 1 (fast) to 22.
  explicit ZstdEncoder(int level);
  ~ZstdEncoder();
  ZstdEncoder(ZstdEncoder&&) noexcept;
  ZstdEncoder& operator=(ZstdEncoder&&) noexcept;

  struct Step {
    std::size_t consumed = 0, produced = 0;
    bool flushed = false;  // all input so far is in the output
  };
  // Compresses from `in` to `out`. With `flush`, also writes what the encoder holds back. System: out of memory.
  Result<Step> run(Bytes in, std::span<std::byte> out, bool flush);

 private:
  struct Context;
  std::unique_ptr<Context> context_;
};

}  // namespace peregrine::data
