#include "symbol/run_time_file.h"

#include <fcntl.h>
#include <sys/stat.h>

namespace peregrine {

Result<Fd> open_run_time_file(const std::string& path, std::optional<uid_t> reader) {
  auto fd = open_file(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
  if (!fd) return fd;
  struct stat status{};
  if (::fstat(fd->get(), &status) != 0) return fail_errno(path);
  if (!S_ISREG(status.st_mode)) return fail(ErrorKind::Denied, "{}: not a regular file", path);
  const bool trusted = !reader || *reader == 0 || status.st_uid == *reader || status.st_uid == 0;
  if (!trusted) return fail(ErrorKind::Denied, "{}: belongs to user {}, not to you or root", path, status.st_uid);
  return fd;
}

}  // namespace peregrine
