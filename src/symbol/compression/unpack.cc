#include "symbol/compression/unpack.h"

#include <bzlib.h>
#include <fcntl.h>
#include <lzma.h>
#include <sys/stat.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <expected>
#include <span>
#include <string>
#include <utility>

#include "base/file/content_kind.h"
#include "base/types.h"

namespace peregrine {
namespace {

// Memory limits of the xz and zstd decoders; archives packed at the usual maximum levels stay below them.
constexpr u64 kXzMemory = u64{256} << 20;
constexpr int kZstdWindowBits = 27;  // 128 MB, the window of level 22

std::unexpected<Error> broken(const std::string& name, std::string_view format) {
  return fail(ErrorKind::Malformed, "{}: damaged {} data", name, format);
}

class Copier : public Unpacker {
 public:
  Result<Step> step(Bytes packed, std::span<std::byte> out) override {
    const std::size_t size = std::min(packed.size(), out.size());
    if (size != 0) std::memcpy(out.data(), packed.data(), size);
    return Step{size, size, true};
  }
};

// The three container formats of deflate, selected by zlib's window bits.
class Inflater : public Unpacker {
 public:
  static constexpr int kGzip = 15 + 16, kZlib = 15, kBare = -15;
  Inflater(std::string_view name, int bits) : name_(name) { ready_ = ::inflateInit2(&stream_, bits) == Z_OK; }
  ~Inflater() override { ::inflateEnd(&stream_); }
  Result<Step> step(Bytes packed, std::span<std::byte> out) override {
    if (!ready_) return broken(name_, "deflated");
    if (ended_) ::inflateReset(&stream_);
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(packed.data()));
    stream_.avail_in = static_cast<uInt>(std::min<std::size_t>(packed.size(), 1u << 30));
    stream_.next_out = reinterpret_cast<Bytef*>(out.data());
    stream_.avail_out = static_cast<uInt>(std::min<std::size_t>(out.size(), 1u << 30));
    const uInt in = stream_.avail_in, room = stream_.avail_out;
    const int outcome = ::inflate(&stream_, Z_NO_FLUSH);
    if (outcome != Z_OK && outcome != Z_STREAM_END && outcome != Z_BUF_ERROR) return broken(name_, "deflated");
    ended_ = outcome == Z_STREAM_END;
    return Step{in - stream_.avail_in, room - stream_.avail_out, ended_};
  }

 private:
  std::string name_;
  z_stream stream_{};
  bool ready_ = false, ended_ = false;
};

class Unxz : public Unpacker {
 public:
  explicit Unxz(std::string_view name) : name_(name) { start(); }
  ~Unxz() override { ::lzma_end(&stream_); }
  Result<Step> step(Bytes packed, std::span<std::byte> out) override {
    if (ended_) start();
    if (!ready_) return broken(name_, "xz");
    stream_.next_in = reinterpret_cast<const u8*>(packed.data());
    stream_.avail_in = packed.size();
    stream_.next_out = reinterpret_cast<u8*>(out.data());
    stream_.avail_out = out.size();
    const lzma_ret outcome = ::lzma_code(&stream_, LZMA_RUN);
    if (outcome != LZMA_OK && outcome != LZMA_STREAM_END && outcome != LZMA_BUF_ERROR) return broken(name_, "xz");
    ended_ = outcome == LZMA_STREAM_END;
    return Step{packed.size() - stream_.avail_in, out.size() - stream_.avail_out, ended_};
  }

 private:
  void start() {
    ready_ = ::lzma_stream_decoder(&stream_, kXzMemory, 0) == LZMA_OK;
    ended_ = false;
  }
  std::string name_;
  lzma_stream stream_ = LZMA_STREAM_INIT;
  bool ready_ = false, ended_ = false;
};

class Unzstd : public Unpacker {
 public:
  explicit Unzstd(std::string_view name) : name_(name), stream_(::ZSTD_createDStream()) {
    if (stream_ != nullptr) ::ZSTD_DCtx_setParameter(stream_, ZSTD_d_windowLogMax, kZstdWindowBits);
  }
  ~Unzstd() override { ::ZSTD_freeDStream(stream_); }
  Result<Step> step(Bytes packed, std::span<std::byte> out) override {
    ZSTD_inBuffer from{packed.data(), packed.size(), 0};
    ZSTD_outBuffer to{out.data(), out.size(), 0};
    const std::size_t left = stream_ == nullptr ? ~std::size_t{0} : ::ZSTD_decompressStream(stream_, &to, &from);
    if (stream_ == nullptr || ::ZSTD_isError(left) != 0) return broken(name_, "zstd");
    return Step{from.pos, to.pos, left == 0};
  }

 private:
  std::string name_;
  ZSTD_DStream* stream_;
};

class Bunzip : public Unpacker {
 public:
  explicit Bunzip(std::string_view name) : name_(name) { start(); }
  ~Bunzip() override { ::BZ2_bzDecompressEnd(&stream_); }
  Result<Step> step(Bytes packed, std::span<std::byte> out) override {
    if (ended_) {
      ::BZ2_bzDecompressEnd(&stream_);
      stream_ = {};
      start();
    }
    if (!ready_) return broken(name_, "bzip2");
    stream_.next_in = reinterpret_cast<char*>(const_cast<std::byte*>(packed.data()));
    stream_.avail_in = static_cast<unsigned>(std::min<std::size_t>(packed.size(), 1u << 30));
    stream_.next_out = reinterpret_cast<char*>(out.data());
    stream_.avail_out = static_cast<unsigned>(std::min<std::size_t>(out.size(), 1u << 30));
    const unsigned in = stream_.avail_in, room = stream_.avail_out;
    const int outcome = ::BZ2_bzDecompress(&stream_);
    if (outcome != BZ_OK && outcome != BZ_STREAM_END) return broken(name_, "bzip2");
    ended_ = outcome == BZ_STREAM_END;
    return Step{in - stream_.avail_in, room - stream_.avail_out, ended_};
  }

 private:
  void start() {
    ready_ = ::BZ2_bzDecompressInit(&stream_, 0, 0) == BZ_OK;
    ended_ = false;
  }
  std::string name_;
  bz_stream stream_{};
  bool ready_ = false, ended_ = false;
};

}  // namespace

Packing packing_of(Bytes start) {
  switch (content_kind(start)) {
    case ContentKind::Gzip:
      return Packing::Gzip;
    case ContentKind::Xz:
      return Packing::Xz;
    case ContentKind::Zstd:
      return Packing::Zstd;
    case ContentKind::Bzip2:
      return Packing::Bzip2;
    default:
      return Packing::None;
  }
}

Result<std::unique_ptr<Unpacker>> Unpacker::make(Packing packing, std::string_view name) {
  switch (packing) {
    case Packing::None:
      return std::make_unique<Copier>();
    case Packing::Gzip:
      return std::make_unique<Inflater>(name, Inflater::kGzip);
    case Packing::Zlib:
      return std::make_unique<Inflater>(name, Inflater::kZlib);
    case Packing::Deflate:
      return std::make_unique<Inflater>(name, Inflater::kBare);
    case Packing::Xz:
      return std::make_unique<Unxz>(name);
    case Packing::Zstd:
      return std::make_unique<Unzstd>(name);
    case Packing::Bzip2:
      return std::make_unique<Bunzip>(name);
  }
  return fail(ErrorKind::Unsupported, "{}: unknown compression format", name);
}

Result<std::vector<std::byte>> unpack(Bytes packed, std::string_view name, std::size_t limit) {
  auto made = Unpacker::make(packing_of(packed), name);
  if (!made) return std::unexpected(std::move(made.error()));
  std::vector<std::byte> bytes;
  bool ended = false;
  // A file may consist of several streams; the end of one is not the end of the data.
  while (!ended || !packed.empty()) {
    const std::size_t had = bytes.size();
    // Doubles the space, by 16 MB at most. The sizes that files state are not trusted.
    bytes.resize(had + std::clamp<std::size_t>(had, std::size_t{1} << 16, std::size_t{1} << 24));
    auto step = (*made)->step(packed, std::span(bytes).subspan(had));
    if (!step) return std::unexpected(std::move(step.error()));
    bytes.resize(had + step->given);
    if (bytes.size() > limit) return fail(ErrorKind::Malformed, "{}: decompresses to more than {} bytes", name, limit);
    packed = packed.subspan(step->taken);
    ended = step->ended;
    if (step->taken == 0 && step->given == 0) break;
  }
  if (!ended || !packed.empty()) return fail(ErrorKind::Malformed, "{}: truncated compressed data", name);
  return bytes;
}

Result<std::vector<std::byte>> unpack_to_size(Packing packing, Bytes packed, std::string_view name, u64 size) {
  auto made = Unpacker::make(packing, name);
  if (!made) return std::unexpected(std::move(made.error()));
  std::vector<std::byte> bytes(size + 1);  // one extra byte detects excess output
  std::size_t given = 0;
  bool ended = false;
  while (given < size || !ended) {
    auto step = (*made)->step(packed, std::span(bytes).subspan(given));
    if (!step) return std::unexpected(std::move(step.error()));
    given += step->given;
    packed = packed.subspan(step->taken);
    ended = step->ended;
    if (given > size || (step->taken == 0 && step->given == 0)) break;
  }
  if (given != size || !ended) return fail(ErrorKind::Malformed, "{}: does not decompress to {} bytes", name, size);
  bytes.pop_back();
  return bytes;
}

Result<UnpackedFile> UnpackedFile::open(const std::string& path) {
  auto fd = open_file(path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
  if (!fd) return std::unexpected(std::move(fd.error()));
  return from_fd(std::move(*fd), path);
}

Result<UnpackedFile> UnpackedFile::from_fd(Fd fd, std::string name) {
  struct stat status{};
  if (::fstat(fd.get(), &status) != 0) return fail_errno(name);
  if (!S_ISREG(status.st_mode)) return fail(ErrorKind::Unsupported, "{}: not a regular file", name);
  UnpackedFile file(std::move(fd), std::move(name));
  PEREGRINE_TRY(file.fill());
  auto made = Unpacker::make(packing_of(Bytes(file.buffer_).first(file.end_)), file.name_);
  if (!made) return std::unexpected(std::move(made.error()));
  file.unpacker_ = std::move(*made);
  return file;
}

Result<> UnpackedFile::fill() {
  auto size = pread_full(fd_.get(), buffer_.data(), buffer_.size(), at_);
  if (!size) return std::unexpected(std::move(size.error()));
  begin_ = 0;
  end_ = *size;
  at_ += *size;
  return {};
}

Result<std::size_t> UnpackedFile::read(std::span<std::byte> out) {
  std::size_t given = 0;
  bool stuck = false;
  while (given < out.size()) {
    if (begin_ == end_) {
      PEREGRINE_TRY(fill());
      if (end_ == 0 && between_) break;
    }
    auto step = unpacker_->step(Bytes(buffer_).subspan(begin_, end_ - begin_), out.subspan(given));
    if (!step) return std::unexpected(std::move(step.error()));
    begin_ += step->taken;
    given += step->given;
    given_ += step->given;
    between_ = step->ended;
    if (given_ > most_) return fail(ErrorKind::Malformed, "{}: decompresses to more than {} bytes", name_, most_);
    const bool idle = step->taken == 0 && step->given == 0;
    if (idle && begin_ == end_) return fail(ErrorKind::Malformed, "{}: truncated", name_);
    if (idle && stuck) return fail(ErrorKind::Malformed, "{}: damaged compressed data", name_);
    stuck = idle;
  }
  return given;
}

}  // namespace peregrine
