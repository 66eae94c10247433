#include "base/judged_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <expected>
#include <string_view>
#include <utility>

#include "base/process_root.h"
#include "base/result.h"

namespace peregrine {

namespace {

int flags_of(const FileRules& rules) {
  return O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC | (rules.follow_link ? 0 : O_NOFOLLOW);
}

bool is_of_other_kind(const struct stat& status, const FileRules& rules) {
  return (status.st_mode & S_IFMT) != rules.kind;
}

Result<JudgedFile> judge(Fd fd, const std::string& path, const FileRules& rules) {
  JudgedFile file{.fd = std::move(fd)};
  if (::fstat(file.fd.get(), &file.status) != 0) return fail_errno(path);
  file.fault = fault_of(file.status, rules);
  if (file.fault != FileFault::None) file.fd.reset();
  return file;
}

std::string_view writers_of(const struct stat& status) {
  return (status.st_mode & S_IWOTH) != 0 ? "everybody" : "its group";
}

Result<JudgedFile> without_fault(Result<JudgedFile> file, const std::string& path) {
  if (!file) return file;
  switch (file->fault) {
    case FileFault::None:
      return file;
    case FileFault::Kind:
      return fail(ErrorKind::Denied, "{}: not a regular file", path);
    case FileFault::Owner:
      return fail(ErrorKind::Denied, "{}: owned by user {}, not by you or root", path, file->status.st_uid);
    case FileFault::Writable:
      break;
  }
  return fail(ErrorKind::Denied, "{}: writable by {}", path, writers_of(file->status));
}

}  // namespace

FileOwners owners_of(TrustedOwner owner) {
  if (owner == TrustedOwner::Anyone) return std::nullopt;
  return std::vector<uid_t>{::geteuid()};
}

bool is_trusted(const struct stat& status, const FileOwners& owners) {
  return !owners || status.st_uid == 0 || std::ranges::find(*owners, status.st_uid) != owners->end();
}

bool owned_by_self_or_root(const struct stat& status) { return status.st_uid == 0 || status.st_uid == ::geteuid(); }

FileFault fault_of(const struct stat& status, const FileRules& rules) {
  if (is_of_other_kind(status, rules)) return FileFault::Kind;
  if (!is_trusted(status, rules.owners)) return FileFault::Owner;
  if ((status.st_mode & rules.no_writers) != 0) return FileFault::Writable;
  return FileFault::None;
}

Result<JudgedFile> open_and_judge(const std::string& path, const FileRules& rules) {
  struct stat link{};
  if (!rules.follow_link && !split_process_path(path) && ::lstat(path.c_str(), &link) == 0 &&
      is_of_other_kind(link, rules))
    return JudgedFile{.fd = {}, .status = link, .fault = FileFault::Kind};
  if (rules.follow_link) {
    if (const auto status = stat_file(path); status && is_of_other_kind(*status, rules))
      return JudgedFile{.fd = {}, .status = *status, .fault = FileFault::Kind};
  }
  auto fd = open_file(path, flags_of(rules));
  if (!fd) return std::unexpected(std::move(fd.error()));
  return judge(std::move(*fd), path, rules);
}

Result<JudgedFile> open_and_judge(int folder, const std::string& name, const std::string& path,
                                  const FileRules& rules) {
  struct stat status{};
  const int look = rules.follow_link ? 0 : AT_SYMLINK_NOFOLLOW;
  if (::fstatat(folder, name.c_str(), &status, look) == 0 && is_of_other_kind(status, rules))
    return JudgedFile{.fd = {}, .status = status, .fault = FileFault::Kind};
  Fd fd(::openat(folder, name.c_str(), flags_of(rules)));
  if (!fd) return fail_errno(path);
  return judge(std::move(fd), path, rules);
}

Result<JudgedFile> open_judged(const std::string& path, const FileRules& rules) {
  return without_fault(open_and_judge(path, rules), path);
}

Result<JudgedFile> open_judged(int folder, const std::string& name, const std::string& path, const FileRules& rules) {
  return without_fault(open_and_judge(folder, name, path, rules), path);
}

Result<std::string> read_regular_file(const std::string& path, std::size_t limit) {
  const auto file = open_judged(path, {});
  if (!file) return std::unexpected(file.error());
  return read_all(file->fd.get(), path, limit);
}

Result<std::string> pread_all(int fd, std::string_view what, std::size_t limit) {
  struct stat status = {};
  if (::fstat(fd, &status) != 0) return fail_errno(what);
  if (static_cast<u64>(status.st_size) > limit)
    return fail(ErrorKind::Malformed, "{}: larger than {} bytes", what, limit);
  std::string text;
  text.resize(static_cast<std::size_t>(status.st_size));
  const auto got = pread_full(fd, text.data(), text.size(), 0);
  if (!got) return std::unexpected(got.error());
  text.resize(*got);
  return text;
}

}  // namespace peregrine
