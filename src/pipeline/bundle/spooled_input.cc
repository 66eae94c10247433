#include "pipeline/bundle/spooled_input.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <expected>

#include "base/types.h"
#include "pipeline/bundle/private_folder.h"
#include "pipeline/bundle/unpack_budget.h"

namespace peregrine {

Result<std::vector<std::byte>> peek_pipe(const Fd& pipe) {
  constexpr std::size_t kMost = 512;
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return fail_errno("standard input");
  const Fd from(ends[0]), to(ends[1]);
  ssize_t copied = -1;
  do {
    copied = ::tee(pipe.get(), to.get(), kMost, 0);
  } while (copied < 0 && errno == EINTR);
  if (copied < 0) return fail_errno("standard input");
  std::vector<std::byte> bytes(static_cast<std::size_t>(copied));
  const auto got = read_full(from.get(), bytes.data(), bytes.size());
  if (!got) return std::unexpected(got.error());
  return bytes;
}

Result<Fd> spool_input(const Fd& pipe, const std::string& name, const std::string& temporary) {
  constexpr std::size_t kSpoolPiece = std::size_t{1} << 20;
  constexpr unsigned kSpoolLooks = 16;  // pieces between two checks of the free space
  auto file = make_unnamed_file(temporary);
  if (!file) return file;
  const UnpackBudget space(name, 0, temporary);
  std::vector<std::byte> piece(kSpoolPiece);
  for (unsigned count = 0;; ++count) {
    if (count % kSpoolLooks == 0) PEREGRINE_TRY(space.check_space(kSpoolLooks * kSpoolPiece));
    const auto size = read_full(pipe.get(), piece.data(), piece.size());
    if (!size) return std::unexpected(size.error());
    PEREGRINE_TRY(write_all(file->get(), piece.data(), *size));
    if (*size < piece.size()) return file;
  }
}

}  // namespace peregrine
