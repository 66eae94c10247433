// Bytes compressed with the compression libraries, as input for readers.
#pragma once
#include <bzlib.h>
#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

#include <cstddef>
#include <vector>

#include "base/bytes.h"
#include "base/types.h"

namespace peregrine::support {

using Packed = std::vector<std::byte>;

// `bits`: zlib's window bits, which select the container.
inline Packed deflated(Bytes bytes, int bits) {
  z_stream stream{};
  deflateInit2(&stream, 9, Z_DEFLATED, bits, 8, Z_DEFAULT_STRATEGY);
  Packed out(bytes.size() + 1000);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

inline Packed gzip(Bytes bytes) { return deflated(bytes, 15 + 16); }
inline Packed zlib(Bytes bytes) { return deflated(bytes, 15); }
inline Packed bare_deflate(Bytes bytes) { return deflated(bytes, -15); }

inline Packed xz(Bytes bytes) {
  Packed out(lzma_stream_buffer_bound(bytes.size()));
  std::size_t end = 0;
  lzma_easy_buffer_encode(6, LZMA_CHECK_CRC32, nullptr, reinterpret_cast<const u8*>(bytes.data()), bytes.size(),
                          reinterpret_cast<u8*>(out.data()), &end, out.size());
  out.resize(end);
  return out;
}

inline Packed zstd(Bytes bytes) {
  Packed out(ZSTD_compressBound(bytes.size()));
  out.resize(ZSTD_compress(out.data(), out.size(), bytes.data(), bytes.size(), 3));
  return out;
}

inline Packed bzip2(Bytes bytes) {
  Packed out(bytes.size() + 1000);
  auto size = static_cast<unsigned>(out.size());
  BZ2_bzBuffToBuffCompress(reinterpret_cast<char*>(out.data()), &size,
                           reinterpret_cast<char*>(const_cast<std::byte*>(bytes.data())),
                           static_cast<unsigned>(bytes.size()), 9, 0, 0);
  out.resize(size);
  return out;
}

}  // namespace peregrine::support
