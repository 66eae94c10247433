#include "base/file/copy_contents.h"

#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <expected>
#include <vector>

#include "base/fd.h"

namespace peregrine {
namespace {

constexpr u64 kAtOnce = u64{1} << 30;
constexpr std::size_t kPiece = std::size_t{1} << 18;

// Copies as much as the kernel can copy between these file systems. Returns the number of bytes copied.
u64 copy_in_kernel(int from, int to, u64 size) {
  loff_t source = 0;
  u64 done = 0;
  while (done < size) {
    const ssize_t copied =
        ::copy_file_range(from, &source, to, nullptr, static_cast<std::size_t>(std::min(kAtOnce, size - done)), 0);
    if (copied < 0 && errno == EINTR) continue;
    if (copied <= 0) break;
    done += static_cast<u64>(copied);
  }
  return done;
}

}  // namespace

Result<> copy_contents(int from, int to, u64 size, std::string_view what) {
  struct stat status{};
  if (::ioctl(to, FICLONE, from) == 0 && ::fstat(to, &status) == 0 && static_cast<u64>(status.st_size) == size)
    return {};
  if (::ftruncate(to, 0) != 0) return fail_errno(what);
  u64 done = copy_in_kernel(from, to, size);
  std::vector<std::byte> piece(done < size ? kPiece : 0);
  while (done < size) {
    const auto wanted = static_cast<std::size_t>(std::min<u64>(piece.size(), size - done));
    const auto got = pread_full(from, piece.data(), wanted, done);
    if (!got) return std::unexpected(got.error());
    if (*got == 0) return fail(ErrorKind::Malformed, "{}: file shrank while being copied", what);
    PEREGRINE_TRY(write_all(to, piece.data(), *got));
    done += *got;
  }
  return {};
}

}  // namespace peregrine
