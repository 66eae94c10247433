#include "capture/daemon/base_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <expected>

#include "base/judged_file.h"
#include "base/result.h"

namespace peregrine {
namespace {

Result<> judge_owner(const struct stat& status, const std::string& path) {
  if (owned_by_self_or_root(status)) return {};
  Error error{ErrorKind::Denied, fmt::format("'{}' belongs to user {}, not to you or root", path, status.st_uid)};
  error.hint = fmt::format("choose another base, or chown {} {}", ::geteuid(), path);
  return std::unexpected(std::move(error));
}

}  // namespace

Result<Fd> open_base_folder(const std::string& path) {
  Fd folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder) return folder;
  if (errno == ENOTDIR) return fail(ErrorKind::NotFound, "base '{}' is not a directory", path);
  if (errno != ENOENT) return fail_errno(fmt::format("base '{}'", path));
  return std::unexpected(Error{ErrorKind::NotFound, fmt::format("base '{}' does not exist", path)}.with_hint(
      fmt::format("mkdir -p {}", path)));
}

Result<> judge_folder(int folder, const std::string& path) {
  struct stat status{};
  if (::fstat(folder, &status) != 0) return fail_errno(path);
  PEREGRINE_TRY(judge_owner(status, path));
  if ((status.st_mode & (S_IWGRP | S_IWOTH)) == 0) return {};
  return std::unexpected(Error{ErrorKind::Denied, fmt::format("other users can write to '{}'", path)}.with_hint(
      fmt::format("chmod go-w {}", path)));
}

Result<Fd> make_private_folder(int folder, const std::string& name, const std::string& path) {
  if (::mkdirat(folder, name.c_str(), 0700) != 0 && errno != EEXIST) return fail_errno(path);
  Fd made(::openat(folder, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!made) return fail_errno(path);
  PEREGRINE_TRY(judge_folder(made.get(), path));
  return made;
}

// O_NONBLOCK: opening a fifo in the file's place must not block.
Result<Fd> open_private_file(int folder, const char* name, int flags, const std::string& path) {
  Fd file(::openat(folder, name, flags | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0600));
  if (!file && errno == ELOOP) return fail(ErrorKind::Denied, "'{}' is a symbolic link", path);
  if (!file) return fail_errno(path);
  struct stat status{};
  if (::fstat(file.get(), &status) != 0) return fail_errno(path);
  if (!S_ISREG(status.st_mode) || status.st_nlink != 1)
    return fail(ErrorKind::Denied, "'{}' is not a regular file, or has several hard links", path);
  PEREGRINE_TRY(judge_owner(status, path));
  if (::fchmod(file.get(), 0600) != 0) return fail_errno(path);
  return file;
}

Result<> make_private_fifo(int folder, const char* name, const std::string& path) {
  if (::mkfifoat(folder, name, 0600) == 0) return {};
  const int error = errno;
  struct stat status{};
  if (error != EEXIST || ::fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) != 0) return fail_errno(path, error);
  if (!S_ISFIFO(status.st_mode)) return fail(ErrorKind::Denied, "'{}' is not a fifo", path);
  return judge_owner(status, path);
}

void OwnedName::remove() noexcept {
  if (const char* const name = std::exchange(name_, nullptr)) ::unlinkat(folder_, name, 0);
}

}  // namespace peregrine
