#include "base/file/draft_mark.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <expected>
#include <utility>

#include "base/file/output_place.h"
#include "base/result.h"

namespace peregrine {
namespace {

bool has_this_name(int folder, const std::string& name, int fd) {
  struct stat named{}, open{};
  return ::fstatat(folder, name.c_str(), &named, AT_SYMLINK_NOFOLLOW) == 0 && ::fstat(fd, &open) == 0 &&
         named.st_dev == open.st_dev && named.st_ino == open.st_ino;
}

// A process that looks for abandoned marks may take or remove this one before it is locked; the caller then tries the
// next name. On a file system without locks, the mark stays unlocked and nobody claims it.
int make_locked(int folder, const std::string& name, Fd& made) {
  Fd file(::openat(folder, name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, kPrivateMode));
  if (!file) return errno;
  if (::flock(file.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) return EEXIST;
  if (!has_this_name(folder, name, file.get())) return EEXIST;
  made = std::move(file);
  return 0;
}

bool are_digits(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

Result<DraftMark> DraftMark::create(int folder, const std::string& name) {
  DraftMark mark;
  auto made = make_with_draft_name(name, [&](const char* free) { return make_locked(folder, free, mark.file_); });
  if (!made) return std::unexpected(std::move(made.error()));
  mark.name_ = std::move(*made);
  return mark;
}

// Matches ".NAME.PID.new" or ".NAME.PID-N.new", optionally followed by a dot and more.
std::string_view draft_mark_of(std::string_view file, std::string_view name) {
  constexpr std::string_view kEnd = ".new";
  const std::string begin = "." + draft_stem(std::string(name)) + ".";
  if (!file.starts_with(begin)) return {};
  const std::size_t end = file.find(kEnd, begin.size());
  if (end == file.npos) return {};
  const std::string_view numbers = file.substr(begin.size(), end - begin.size());
  const std::size_t dash = numbers.find('-');
  if (!are_digits(numbers.substr(0, dash)) || (dash != numbers.npos && !are_digits(numbers.substr(dash + 1))))
    return {};
  const std::string_view rest = file.substr(end + kEnd.size());
  return rest.empty() || rest.starts_with('.') ? file.substr(0, end + kEnd.size()) : std::string_view();
}

std::optional<Fd> claim_abandoned_mark(int folder, const std::string& mark) {
  Fd file(::openat(folder, mark.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!file) return errno == ENOENT ? std::optional(Fd()) : std::nullopt;
  if (::flock(file.get(), LOCK_EX | LOCK_NB) != 0) return std::nullopt;
  return file;
}

}  // namespace peregrine
