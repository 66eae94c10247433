#include "base/file/output_place.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/magic.h>
#include <stdio.h>
#include <sys/statfs.h>
#include <sys/types.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstddef>
#include <expected>

#include "base/judged_file.h"
#include "base/result.h"

namespace peregrine {
namespace {

constexpr std::size_t kMostOfName = 200;  // below NAME_MAX, to leave room for a suffix

int open_at(int folder, const std::string& name, int flags, unsigned mode) {
  int fd = -1;
  do {
    fd = ::openat(folder, name.c_str(), flags | O_CLOEXEC, mode);
  } while (fd < 0 && errno == EINTR);
  return fd;
}

Result<Fd> duplicate(int fd, const std::string& path) {
  Fd other(::fcntl(fd, F_DUPFD_CLOEXEC, 0));
  if (!other) return fail_errno(path);
  return other;
}

// Renames without ever replacing a file. RENAME_NOREPLACE does not work on every file system; link(2) always refuses.
bool rename_to_free(int folder, const std::string& from, const std::string& to) {
  if (::renameat2(folder, from.c_str(), folder, to.c_str(), RENAME_NOREPLACE) == 0) return true;
  if (errno != EINVAL && errno != ENOSYS) return false;
  return ::linkat(folder, from.c_str(), folder, to.c_str(), 0) == 0 && ::unlinkat(folder, from.c_str(), 0) == 0;
}

}  // namespace

std::string draft_stem(const std::string& name) { return name.substr(0, kMostOfName); }

Result<std::string> make_with_draft_name(const std::string& name, const std::function<int(const char*)>& make) {
  constexpr unsigned kMostDrafts = 1000;
  int error = EEXIST;
  for (unsigned number = 1; number <= kMostDrafts && error == EEXIST; ++number) {
    const std::string again = number == 1 ? "" : fmt::format("-{}", number);
    std::string draft = fmt::format(".{}.{}{}.new", draft_stem(name), ::getpid(), again);
    error = make(draft.c_str());
    if (error == 0) return draft;
  }
  return fail_errno(name, error);
}

Result<OutputPlace> OutputPlace::at(const std::string& path) {
  const std::string trimmed = path.substr(0, path.find_last_not_of('/') + 1);
  const std::size_t slash = trimmed.rfind('/');
  std::string prefix = trimmed.substr(0, slash == std::string::npos ? 0 : slash + 1);
  std::string name = trimmed.substr(prefix.size());
  if (path.empty()) return fail_errno("empty output file name", ENOENT);
  if (name.empty() || name == "." || name == "..") return fail_errno(path, EISDIR);
  Fd folder(::open(prefix.empty() ? "." : prefix.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!folder) return fail_errno(path);
  return OutputPlace(std::move(folder), std::move(prefix), std::move(name));
}

Result<OutputPlace> OutputPlace::sibling(const std::string& name) const {
  auto folder = duplicate(folder_.get(), path_);
  if (!folder) return std::unexpected(std::move(folder.error()));
  return OutputPlace(std::move(*folder), prefix_, name);
}

bool OutputPlace::in_proc() const {
  struct statfs system{};
  return ::fstatfs(folder_.get(), &system) == 0 && system.f_type == PROC_SUPER_MAGIC;
}

Result<std::optional<struct stat>> OutputPlace::status() const {
  struct stat status{};
  if (::fstatat(folder_.get(), name_.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0) return status;
  if (errno != ENOENT) return fail_errno(path_);
  return std::optional<struct stat>();
}

Result<OutputPlace> OutputPlace::behind(const struct stat& link) const {
  if (!owned_by_self_or_root(link)) {
    return std::unexpected(
        Error{ErrorKind::Denied, fmt::format("'{}' is a symbolic link owned by user {}", path_, link.st_uid)}.with_hint(
            "other users' links are not followed: remove it, or pass the file it points to"));
  }
  char target[PATH_MAX];
  const ssize_t size = ::readlinkat(folder_.get(), name_.c_str(), target, sizeof target);
  if (size < 0) return fail_errno(path_);
  const std::string to(target, static_cast<std::size_t>(size));
  auto place = at(to.starts_with('/') ? to : prefix_ + to);
  // The target's folder cannot be opened; the message should name the link.
  if (!place) return fail_errno(path_, place.error().system_errno);
  return place;
}

Result<Fd> OutputPlace::open(int flags, unsigned mode) const {
  Fd fd(open_at(folder_.get(), name_, flags | O_NOFOLLOW, mode));
  if (!fd) return fail_errno(path_);
  return fd;
}

Result<Fd> OutputPlace::open_link(int flags) const {
  Fd fd(open_at(folder_.get(), name_, flags, 0));
  if (!fd) return fail_errno(path_);
  return fd;
}

Result<> OutputPlace::remove(int flags) const {
  if (::unlinkat(folder_.get(), name_.c_str(), flags) != 0) return fail_errno(path_);
  return {};
}

Result<> OutputPlace::rename_to(const OutputPlace& other) const {
  if (::renameat(folder_.get(), name_.c_str(), folder_.get(), other.name_.c_str()) != 0)
    return fail_errno(fmt::format("cannot rename '{}' to '{}'", path_, other.path_));
  return {};
}

Result<OutputPlace> follow_links(const std::string& path) {
  using Step = LinkStep<OutputPlace>;
  return walk_links<OutputPlace>(path, [](OutputPlace& place) -> Result<Step> {
    const auto found = place.status();
    if (!found) return std::unexpected(found.error());
    if (!*found || !S_ISLNK((*found)->st_mode) || place.in_proc()) return Step(std::move(place));
    return Step(**found);
  });
}

Result<OutputDraft> OutputDraft::create(const OutputPlace& place, unsigned mode) {
  return create_in(place.folder(), place.name(), place.path(), mode);
}

Result<OutputDraft> OutputDraft::create(int folder, const std::string& name, unsigned mode) {
  return create_in(folder, name, name, mode);
}

Result<OutputDraft> OutputDraft::create_in(int folder, const std::string& target, const std::string& path,
                                           unsigned mode) {
  auto held = duplicate(folder, path);
  if (!held) return std::unexpected(std::move(held.error()));
  OutputDraft draft(std::move(*held), target, path);
  // An unnamed file disappears if the process is killed. Naming it later requires /proc.
  if (::access("/proc/self/fd", X_OK) == 0) draft.file_ = Fd(open_at(folder, ".", O_TMPFILE | O_RDWR, mode));
  if (draft.file_) return draft;
  auto name = make_with_draft_name(target, [&](const char* free) {
    draft.file_ = Fd(open_at(folder, free, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, mode));
    return draft.file_ ? 0 : errno;
  });
  if (!name) return fail_errno(path, name.error().system_errno);
  draft.name_ = std::move(*name);
  return draft;
}

OutputDraft::OutputDraft(OutputDraft&& other) noexcept
    : folder_(std::move(other.folder_)),
      file_(std::move(other.file_)),
      target_(std::move(other.target_)),
      path_(std::move(other.path_)),
      name_(std::exchange(other.name_, {})) {}

OutputDraft::~OutputDraft() {
  if (!name_.empty()) ::unlinkat(folder_.get(), name_.c_str(), 0);
}

Result<Fd> OutputDraft::descriptor() const { return duplicate(file_.get(), "cannot duplicate a file descriptor"); }

// Returns 0 or an errno.
int OutputDraft::link_as(const std::string& name) const {
  const std::string open_file = fmt::format("/proc/self/fd/{}", file_.get());
  const int failed = ::linkat(AT_FDCWD, open_file.c_str(), folder_.get(), name.c_str(), AT_SYMLINK_FOLLOW);
  return failed == 0 ? 0 : errno;
}

Result<> OutputDraft::take(bool replace) {
  if (name_.empty() && !replace) {
    const int error = link_as(target_);
    return error == 0 ? Result<>() : fail_errno(path_, error);
  }
  if (name_.empty()) {
    auto name = make_with_draft_name(target_, [&](const char* free) { return link_as(free); });
    if (!name) return fail_errno(path_, name.error().system_errno);
    name_ = std::move(*name);
  }
  const bool renamed = replace ? ::renameat(folder_.get(), name_.c_str(), folder_.get(), target_.c_str()) == 0
                               : rename_to_free(folder_.get(), name_, target_);
  if (!renamed) return fail_errno(path_);
  name_.clear();
  return {};
}

}  // namespace peregrine
