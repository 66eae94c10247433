#include "pipeline/bundle/packed_recording.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <expected>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/file/content_kind.h"
#include "base/types.h"
#include "pipeline/bundle/private_folder.h"
#include "symbol/compression/unpack.h"

namespace peregrine {

namespace {

constexpr std::size_t kUnpackedPiece = std::size_t{1} << 20;
constexpr unsigned kLooks = 16;  // pieces between two checks of the free space

Result<> copy_all(UnpackedFile& from, int to, UnpackBudget& budget) {
  std::vector<std::byte> piece(kUnpackedPiece);
  for (unsigned count = 0;; ++count) {
    if (count % kLooks == 0) PEREGRINE_TRY(budget.check_space(kLooks * kUnpackedPiece));
    const auto size = from.read(piece);
    if (!size) return std::unexpected(size.error());
    if (*size == 0) return {};
    PEREGRINE_TRY(budget.add_bytes(*size));
    PEREGRINE_TRY(write_all(to, piece.data(), *size));
  }
}

}  // namespace

Result<std::optional<Fd>> unpack_recording(const Fd& file, const std::string& name, const std::string& temporary,
                                           UnpackBudget& budget) {
  std::array<std::byte, kPackedBytes> start{};
  const auto found = pread_full(file.get(), start.data(), start.size(), 0);
  if (!found) return std::unexpected(found.error());
  if (packing_of(Bytes(start).first(*found)) == Packing::None) return std::nullopt;
  struct stat status{};
  if (::fstat(file.get(), &status) != 0) return fail_errno(name);
  Fd copy(::fcntl(file.get(), F_DUPFD_CLOEXEC, 3));
  if (!copy) return fail_errno(name);
  auto packed = UnpackedFile::from_fd(std::move(copy), name);
  if (!packed) return std::unexpected(std::move(packed.error()));
  auto unpacked = make_unnamed_file(temporary);
  if (!unpacked) return std::unexpected(std::move(unpacked.error()));
  PEREGRINE_TRY(copy_all(*packed, unpacked->get(), budget));
  const std::array times{status.st_atim, status.st_mtim};  // keep the time of the recording
  ::futimens(unpacked->get(), times.data());
  return std::optional<Fd>(std::move(*unpacked));
}

}  // namespace peregrine
