#include "data/stream/zstd_stream.h"

#include <zstd.h>

#include <cstddef>
#include <span>

namespace peregrine::data {

struct ZstdDecoder::Context {
  ZSTD_DCtx* handle = ZSTD_createDCtx();
  ~Context() { ZSTD_freeDCtx(handle); }
};

ZstdDecoder::ZstdDecoder() : context_(std::make_unique<Context>()) {
  // Level 22 uses windows of 128 MB. A hostile frame must not make us allocate more.
  ZSTD_DCtx_setParameter(context_->handle, ZSTD_d_windowLogMax, 27);
}
ZstdDecoder::~ZstdDecoder() = default;

Result<ZstdDecoder::Step> ZstdDecoder::run(Bytes in, std::span<std::byte> out) {
  ZSTD_inBuffer input{in.data(), in.size(), 0};
  ZSTD_outBuffer output{out.data(), out.size(), 0};
  while (output.pos < output.size) {
    const std::size_t before = input.pos + output.pos;
    const std::size_t code = ZSTD_decompressStream(context_->handle, &output, &input);
    if (ZSTD_isError(code) != 0) {
      ZSTD_DCtx_reset(context_->handle, ZSTD_reset_session_only);
      return fail(ErrorKind::Malformed, "zstd: {}", ZSTD_getErrorName(code));
    }
    if (input.pos + output.pos == before) break;
  }
  return Step{input.pos, output.pos};
}

struct ZstdEncoder::Context {
  ZSTD_CCtx* handle = ZSTD_createCCtx();
  ~Context() { ZSTD_freeCCtx(handle); }
};

ZstdEncoder::ZstdEncoder(int level) : context_(std::make_unique<Context>()) {
  ZSTD_CCtx_setParameter(context_->handle, ZSTD_c_compressionLevel, level);
}
ZstdEncoder::~ZstdEncoder() = default;
ZstdEncoder::ZstdEncoder(ZstdEncoder&&) noexcept = default;
ZstdEncoder& ZstdEncoder::operator=(ZstdEncoder&&) noexcept = default;

Result<ZstdEncoder::Step> ZstdEncoder::run(Bytes in, std::span<std::byte> out, bool flush) {
  ZSTD_inBuffer input{in.data(), in.size(), 0};
  ZSTD_outBuffer output{out.data(), out.size(), 0};
  const std::size_t code =
      ZSTD_compressStream2(context_->handle, &output, &input, flush ? ZSTD_e_flush : ZSTD_e_continue);
  if (ZSTD_isError(code) != 0) return fail(ErrorKind::System, "zstd: {}", ZSTD_getErrorName(code));
  return Step{input.pos, output.pos, flush && code == 0};
}

}  // namespace peregrine::data
