#include "pipeline/bundle/tar_writer.h"

#include <bzlib.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <ctime>
#include <expected>
#include <span>
#include <utility>
#include <vector>

#include "base/fd.h"
#include "base/file/content_kind.h"
#include "base/file/output_file.h"
#include "base/result.h"
#include "base/types.h"
#include "pipeline/bundle/tar_format.h"

namespace peregrine {
namespace {

constexpr std::size_t kPackedPiece = std::size_t{1} << 18;
constexpr int kZstdLevel = 3, kBzip2Level = 9;

}  // namespace

// Compresses bytes and writes them. Errors name `path`.
class TarWriter::Packer {
 public:
  Packer(Fd fd, std::string path, Packing packing)
      : fd_(std::move(fd)), path_(std::move(path)), packing_(packing), out_(kPackedPiece) {
    if (packing == Packing::Zstd) {
      zstd_ = ::ZSTD_createCCtx();
      ::ZSTD_CCtx_setParameter(zstd_, ZSTD_c_compressionLevel, kZstdLevel);
      ::ZSTD_CCtx_setParameter(zstd_, ZSTD_c_checksumFlag, 1);
    }
    if (packing == Packing::Bzip2) bzip2_ready_ = ::BZ2_bzCompressInit(&bzip2_, kBzip2Level, 0, 0) == BZ_OK;
  }
  Packer(const Packer&) = delete;
  Packer& operator=(const Packer&) = delete;
  ~Packer() {
    ::ZSTD_freeCCtx(zstd_);
    if (bzip2_ready_) ::BZ2_bzCompressEnd(&bzip2_);
  }

  Result<> write(Bytes bytes) { return pack(bytes, false); }
  Result<> finish() {
    PEREGRINE_TRY(pack({}, true));
    return ::fsync(fd_.get()) == 0 || errno == EINVAL ? Result<>() : not_written(errno);
  }

 private:
  Result<> pack(Bytes bytes, bool last) {
    if (bytes.empty() && !last) return {};  // bzip2 fails if it has nothing to do
    if (packing_ == Packing::Zstd) return pack_zstd(bytes, last);
    if (packing_ == Packing::Bzip2) return pack_bzip2(bytes, last);
    return put(bytes);
  }
  Result<> put(Bytes bytes) {
    const auto written = write_all(fd_.get(), bytes.data(), bytes.size());
    return written ? Result<>() : not_written(written.error().system_errno);
  }
  Result<> not_written(int error) const {
    Result<> failed = fail_errno(fmt::format("cannot write '{}'", path_), error);
    if (error == ENOSPC || error == EDQUOT) failed.error().hint = "free some space, or write elsewhere with -o";
    return failed;
  }
  Result<> pack_zstd(Bytes bytes, bool last) {
    ZSTD_inBuffer from{bytes.data(), bytes.size(), 0};
    for (;;) {
      ZSTD_outBuffer to{out_.data(), out_.size(), 0};
      const std::size_t left = ::ZSTD_compressStream2(zstd_, &to, &from, last ? ZSTD_e_end : ZSTD_e_continue);
      if (::ZSTD_isError(left) != 0)
        return fail(ErrorKind::System, "cannot write '{}': zstd: {}", path_, ::ZSTD_getErrorName(left));
      PEREGRINE_TRY(put(Bytes(out_).first(to.pos)));
      if (last ? left == 0 : from.pos == from.size) return {};
    }
  }
  Result<> pack_bzip2(Bytes bytes, bool last) {
    if (!bzip2_ready_) return fail(ErrorKind::System, "cannot write '{}': bzip2 failed to start", path_);
    bzip2_.next_in = reinterpret_cast<char*>(const_cast<std::byte*>(bytes.data()));
    bzip2_.avail_in = static_cast<unsigned>(bytes.size());
    for (;;) {
      bzip2_.next_out = reinterpret_cast<char*>(out_.data());
      bzip2_.avail_out = static_cast<unsigned>(out_.size());
      const int outcome = ::BZ2_bzCompress(&bzip2_, last ? BZ_FINISH : BZ_RUN);
      if (outcome < 0) return fail(ErrorKind::System, "cannot write '{}': bzip2: error {}", path_, outcome);
      PEREGRINE_TRY(put(Bytes(out_).first(out_.size() - bzip2_.avail_out)));
      if (last ? outcome == BZ_STREAM_END : bzip2_.avail_in == 0) return {};
    }
  }

  Fd fd_;
  std::string path_;
  Packing packing_;
  std::vector<std::byte> out_;
  ZSTD_CCtx* zstd_ = nullptr;
  bz_stream bzip2_{};
  bool bzip2_ready_ = false;
};

namespace {

// Only an earlier archive or an empty file may be replaced.
Result<> check_replaced(const OutputPlace& place, const struct stat& found) {
  auto file = place.open(O_RDONLY | O_NONBLOCK | O_NOCTTY);
  if (!file) return std::unexpected(std::move(file.error()));
  std::array<std::byte, kContentBytes> beginning{};
  const auto got = pread_full(file->get(), beginning.data(), beginning.size(), 0);
  if (!got) return std::unexpected(got.error());
  const ContentKind kind = content_kind(Bytes(beginning).first(*got));
  if (found.st_size == 0 || kind == ContentKind::Tar || kind == ContentKind::Bzip2 || kind == ContentKind::Zstd)
    return {};
  return std::unexpected(
      Error{ErrorKind::Denied, fmt::format("'{}' is not an archive: refusing to overwrite it", place.path())}.with_hint(
          "choose another name, or move it"));
}

// The output for `-`.
Result<Fd> standard_output() {
  if (::isatty(STDOUT_FILENO) != 0)
    return std::unexpected(Error{ErrorKind::Usage, "refusing to write an archive to a terminal"}.with_hint(
        "redirect the output, or pass a file with -o"));
  Fd fd(::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3));
  if (!fd) return fail_errno("standard output");
  return fd;
}

}  // namespace

TarWriter::TarWriter(std::unique_ptr<Packer> packer, std::optional<OutputDraft> draft)
    : packer_(std::move(packer)), draft_(std::move(draft)) {}
TarWriter::TarWriter(TarWriter&&) noexcept = default;
TarWriter::~TarWriter() = default;

Result<TarWriter> TarWriter::create(const std::string& path, Packing packing) {
  if (path == "-") {
    auto fd = standard_output();
    if (!fd) return std::unexpected(std::move(fd.error()));
    return TarWriter(std::make_unique<Packer>(std::move(*fd), "standard output", packing), {});
  }
  auto place = follow_links(path);
  if (!place) return std::unexpected(std::move(place.error()));
  const auto found = place->status();
  if (!found) return std::unexpected(found.error());
  if (*found && !S_ISREG((*found)->st_mode)) {
    auto fd = open_special_file(*place, **found);
    if (!fd) return std::unexpected(std::move(fd.error()));
    return TarWriter(std::make_unique<Packer>(std::move(*fd), place->path(), packing), {});
  }
  if (*found) PEREGRINE_TRY(check_replaced(*place, **found));
  return create_draft(*place, packing);
}

Result<TarWriter> TarWriter::create_unnamed(const std::string& beside, Packing packing) {
  const auto place = OutputPlace::at(beside);
  if (!place) return std::unexpected(place.error());
  return create_draft(*place, packing);
}

Result<TarWriter> TarWriter::create_draft(const OutputPlace& place, Packing packing) {
  auto draft = OutputDraft::create(place, kPrivateMode);
  if (!draft) return std::unexpected(std::move(draft.error()));
  auto fd = draft->descriptor();
  if (!fd) return std::unexpected(std::move(fd.error()));
  return TarWriter(std::make_unique<Packer>(std::move(*fd), place.path(), packing), std::move(*draft));
}

Result<> TarWriter::pad(u64 size) {
  const std::array<std::byte, tar::kBlock> zeroes{};
  return packer_->write(Bytes(zeroes).first((tar::kBlock - size % tar::kBlock) % tar::kBlock));
}

Result<> TarWriter::long_text(std::string_view text, char type) {
  const std::string ended = std::string(text) + '\0';
  PEREGRINE_TRY(header("././@LongLink", ended.size(), type, {}, 0));
  PEREGRINE_TRY(packer_->write(std::as_bytes(std::span(ended))));
  return pad(ended.size());
}

Result<> TarWriter::header(std::string_view name, u64 size, char type, std::string_view target, i64 time) {
  if (target.size() > tar::kLinkSize) PEREGRINE_TRY(long_text(target, 'K'));
  if (name.size() > tar::kNameSize) PEREGRINE_TRY(long_text(name, 'L'));
  std::array<std::byte, tar::kBlock> block{};
  const auto put = [&](std::size_t at, std::string_view text) {
    std::ranges::copy(std::as_bytes(std::span(text)), block.begin() + static_cast<std::ptrdiff_t>(at));
  };
  put(0, name.substr(0, tar::kNameSize));
  put(tar::kModeAt, "0000755");
  put(tar::kModeAt + tar::kModeSize, "0000000");      // user
  put(tar::kModeAt + 2 * tar::kModeSize, "0000000");  // group
  // The field has eleven octal digits, which hold 33 bits. Beyond, GNU tar writes a binary number with the top bit
  // set.
  if (size >> 33 == 0) {
    put(tar::kSizeAt, fmt::format("{:011o}", size));
  } else {
    block[tar::kSizeAt] = std::byte{0x80};
    for (std::size_t i = 0; i < sizeof size; ++i)
      block[tar::kSizeAt + tar::kSizeSize - 1 - i] = static_cast<std::byte>(size >> (8 * i));
  }
  put(tar::kTimeAt, fmt::format("{:011o}", static_cast<u64>(std::clamp<i64>(time, 0, (i64{1} << 33) - 1))));
  block[tar::kTypeAt] = static_cast<std::byte>(type);
  put(tar::kLinkAt, target.substr(0, tar::kLinkSize));
  put(tar::kMagicAt, "ustar  ");  // GNU format, for its long names
  put(tar::kSumAt, fmt::format("{:06o}", tar::checksum(block)));
  block[tar::kSumAt + 7] = std::byte{' '};
  return packer_->write(block);
}

Result<> TarWriter::add_file(std::string_view name, const std::string& source) {
  auto from = open_file(source, O_RDONLY | O_NONBLOCK | O_NOCTTY);
  if (!from) return std::unexpected(std::move(from.error()));
  return add_file(name, from->get(), source);
}

Result<> TarWriter::add_file(std::string_view name, int file, const std::string& source) {
  struct stat status{};
  if (::fstat(file, &status) != 0) return fail_errno(source);
  if (!S_ISREG(status.st_mode)) return fail(ErrorKind::Unsupported, "{}: not a regular file", source);
  const u64 size = static_cast<u64>(status.st_size);
  PEREGRINE_TRY(header(name, size, '0', {}, status.st_mtim.tv_sec));
  std::vector<std::byte> piece(kPackedPiece);
  for (u64 done = 0; done < size;) {
    const auto wanted = static_cast<std::size_t>(std::min<u64>(piece.size(), size - done));
    auto got = pread_full(file, piece.data(), wanted, done);
    if (!got) return fail_errno(source, got.error().system_errno);
    if (*got != wanted) return fail(ErrorKind::Malformed, "{}: shrank while it was read", source);
    PEREGRINE_TRY(packer_->write(Bytes(piece).first(wanted)));
    done += wanted;
  }
  return pad(size);
}

Result<> TarWriter::add_bytes(std::string_view name, Bytes contents) {
  PEREGRINE_TRY(header(name, contents.size(), '0', {}, std::time(nullptr)));
  PEREGRINE_TRY(packer_->write(contents));
  return pad(contents.size());
}

Result<> TarWriter::add_link(std::string_view name, std::string_view target) {
  return header(name, 0, '2', target, std::time(nullptr));
}

Result<> TarWriter::end() {
  const std::array<std::byte, 2 * tar::kBlock> end{};
  PEREGRINE_TRY(packer_->write(end));
  return packer_->finish();
}

Result<> TarWriter::finish() {
  PEREGRINE_TRY(end());
  return draft_ ? draft_->take(true) : Result<>();
}

Result<Fd> TarWriter::finish_unnamed() {
  PEREGRINE_TRY(end());
  return draft_->descriptor();
}

}  // namespace peregrine
