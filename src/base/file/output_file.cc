#include "base/file/output_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/stat.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <expected>
#include <thread>
#include <utility>
#include <variant>

#include "base/fd.h"
#include "base/judged_file.h"
#include "base/result.h"

namespace peregrine {
namespace {

Result<> check_contents(int fd, const std::string& path, const OutputRequest& request) {
  std::array<std::byte, kContentBytes> buffer{};
  const auto got = pread_full(fd, buffer.data(), buffer.size(), 0);
  if (!got || *got == 0) return {};
  const Bytes beginning = Bytes(buffer).first(*got);
  const bool recording = request.is_precious != nullptr && request.is_precious(beginning);
  const ContentKind kind = content_kind(beginning);
  if (!recording && (kind == ContentKind::Other || kind == request.written)) return {};
  return std::unexpected(
      Error{ErrorKind::Denied,
            fmt::format("'{}' is {}: refusing to overwrite it", path, recording ? "a recording" : content_name(kind))}
          .with_hint(fmt::format("choose another name, or delete the {} first", recording ? "recording" : "file")));
}

Result<> check_contents_at(const OutputPlace& place, const OutputRequest& request) {
  auto old = place.open(O_RDONLY | O_NONBLOCK);
  return old ? check_contents(old->get(), place.path(), request) : Result<>();
}

Result<> check_overwriting(const OutputPlace& place, const struct stat& found, const OutputRequest& request) {
  if (S_ISREG(found.st_mode)) return check_contents_at(place, request);
  if (!S_ISLNK(found.st_mode)) return check_special_file(place, found);
  const auto behind = follow_links(place.path());
  if (!behind) return std::unexpected(behind.error());
  const auto target = behind->status();
  if (!target) return std::unexpected(target.error());
  return *target && !S_ISLNK((*target)->st_mode) ? check_overwriting(*behind, **target, request) : Result<>();
}

// The error for Existing::Refuse. It only suggests another name if the file could have been overwritten; otherwise the
// hint says why not.
std::unexpected<Error> refuse_existing(const OutputPlace& place, const struct stat& found,
                                       const OutputRequest& request) {
  auto refused = fail_errno(place.path(), EEXIST);
  if (const auto allowed = check_overwriting(place, found, request); !allowed)
    refused.error().hint = allowed.error().hint.empty() ? "choose another name" : allowed.error().hint;
  return refused;
}

bool is_ours_alone(const struct stat& status) { return status.st_uid == ::geteuid() && status.st_nlink == 1; }

Result<Fd> replace(const OutputPlace& place, const struct stat& found, const OutputRequest& request) {
  if (request.existing == Existing::Append) {
    return std::unexpected(
        Error{ErrorKind::Denied, found.st_uid == ::geteuid()
                                     ? fmt::format("'{}' has other hard links", place.path())
                                     : fmt::format("'{}' belongs to user {}", place.path(), found.st_uid)}
            .with_hint("choose another name"));
  }
  PEREGRINE_TRY(check_contents_at(place, request));
  auto draft = OutputDraft::create(place, request.mode);
  if (!draft) return std::unexpected(std::move(draft.error()));
  PEREGRINE_TRY(draft->take(true));
  return draft->descriptor();
}

Result<Fd> use_regular(const OutputPlace& place, const struct stat& found, const OutputRequest& request) {
  if (request.existing == Existing::Refuse) return refuse_existing(place, found, request);
  if (!is_ours_alone(found)) return replace(place, found, request);
  const int append = request.existing == Existing::Append ? O_APPEND : 0;
  PEREGRINE_TRY(check_contents_at(place, request));
  auto fd = place.open(O_WRONLY | O_NONBLOCK | O_NOCTTY | append);
  if (!fd) return fd;
  struct stat status{};
  if (::fstat(fd->get(), &status) != 0) return fail_errno(place.path());
  if (!S_ISREG(status.st_mode) || status.st_ino != found.st_ino || status.st_dev != found.st_dev)
    return fail(ErrorKind::Denied, "'{}' was replaced while being opened", place.path());
  if (append == 0 && ::ftruncate(fd->get(), 0) != 0) return fail_errno(place.path());
  return fd;
}

// Opens a FIFO as soon as it has a reader. A blocking open(2) could wait forever in a process that has signals blocked
// (record), or that must not hang since others wait for its answer (the sandbox's broker).
Result<Fd> open_fifo(const OutputPlace& place) {
  constexpr std::chrono::milliseconds kMoment{20}, kPatience{5000};
  const auto start = std::chrono::steady_clock::now();
  for (;;) {
    auto fd = place.open(O_WRONLY | O_NOCTTY | O_NONBLOCK);
    if (fd) {
      const int flags = ::fcntl(fd->get(), F_GETFL);
      if (flags < 0 || ::fcntl(fd->get(), F_SETFL, flags & ~O_NONBLOCK) != 0) return fail_errno(place.path());
      return fd;
    }
    if (fd.error().system_errno != ENXIO) return fd;
    if (std::chrono::steady_clock::now() - start >= kPatience)
      return std::unexpected(
          Error{ErrorKind::System, fmt::format("no process reads the FIFO '{}'", place.path())}.with_hint(
              "start the reader first, or write to a file"));
    std::this_thread::sleep_for(kMoment);
  }
}

// A link in /proc refers to an open file of a process, such as the one behind /dev/stdout. Append: we did not write
// its present contents, so keep them.
Result<Fd> use_open_file(const OutputPlace& place) {
  auto fd = place.open_link(O_WRONLY | O_NOCTTY | O_APPEND);
  if (!fd) return fd;
  struct stat status{};
  if (::fstat(fd->get(), &status) != 0) return fail_errno(place.path());
  if (!S_ISREG(status.st_mode)) PEREGRINE_TRY(check_special_file(place, status));
  return fd;
}

// In a sticky folder, renaming over another user's file fails. Report this at once rather than after writing
// everything.
Result<> check_replaceable(const OutputPlace& place, const struct stat& found) {
  struct stat folder{};
  const uid_t self = ::geteuid();
  if (self == 0 || found.st_uid == self || ::fstat(place.folder(), &folder) != 0) return {};
  if ((folder.st_mode & S_ISVTX) == 0 || folder.st_uid == self) return {};
  return fail_errno(place.path(), EPERM);
}

bool is_mounted_on(const OutputPlace& place) {
  struct statx status{};
  return ::statx(place.folder(), place.name().c_str(), AT_SYMLINK_NOFOLLOW, STATX_TYPE, &status) == 0 &&
         (status.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0;
}

bool make_alike(int fd, const struct stat& found) {
  struct stat made{};
  if (::fstat(fd, &made) != 0) return false;
  if (made.st_gid != found.st_gid && ::fchown(fd, static_cast<uid_t>(-1), found.st_gid) != 0) return false;
  const mode_t mode = found.st_mode & 0777;
  return (made.st_mode & 0777) == mode || ::fchmod(fd, mode) == 0;
}

}  // namespace

Result<> check_output_file(const std::string& path, const OutputRequest& request) {
  const auto place = follow_links(path);
  if (!place) return std::unexpected(place.error());
  const auto found = place->status();
  if (!found) return std::unexpected(found.error());
  if (*found) return check_overwriting(*place, **found, request);
  const auto draft = OutputDraft::create(*place, request.mode);
  return draft ? Result<>() : std::unexpected(draft.error());
}

Result<OutputFile> OutputFile::create(const std::string& path, const OutputRequest& request) {
  auto place = request.existing == Existing::Refuse ? OutputPlace::at(path) : follow_links(path);
  if (!place) return std::unexpected(std::move(place.error()));
  OutputFile file(std::move(*place), request);
  const auto found = file.place_.status();
  if (!found) return std::unexpected(found.error());
  PEREGRINE_TRY(*found ? file.open_existing(**found) : file.open_draft(nullptr));
  return file;
}

Result<> OutputFile::open_existing(const struct stat& found) {
  if (request_.existing == Existing::Refuse && !S_ISCHR(found.st_mode)) return refuse_existing(place_, found, request_);
  Result<Fd> opened = Fd();
  if (S_ISREG(found.st_mode)) {
    PEREGRINE_TRY(check_contents_at(place_, request_));
    PEREGRINE_TRY(check_replaceable(place_, found));
    const bool alone = is_ours_alone(found);
    if (!alone || !is_mounted_on(place_)) {
      auto drafted = open_draft(alone ? &found : nullptr);
      if (drafted || !alone) return drafted;
      const int error = drafted.error().system_errno;
      if (error != EACCES && error != EPERM && error != EROFS) return drafted;
    }
    opened = use_regular(place_, found, request_);
  } else {
    opened = open_special_file(place_, found);
  }
  if (!opened) return std::unexpected(std::move(opened.error()));
  fd_ = std::move(*opened);
  return {};
}

Result<> OutputFile::open_draft(const struct stat* replaced) {
  auto draft = OutputDraft::create(place_, request_.mode);
  if (!draft) return std::unexpected(std::move(draft.error()));
  if (replaced != nullptr && !make_alike(draft->fd(), *replaced)) return fail_errno(place_.path(), EPERM);
  auto fd = draft->descriptor();
  if (!fd) return std::unexpected(std::move(fd.error()));
  fd_ = std::move(*fd);
  draft_.emplace(std::move(*draft));
  return {};
}

Result<> OutputFile::finish() {
  // Network file systems report some failed writes only on close.
  if (::close(fd_.release()) != 0 && errno != EINTR) return fail_errno(place_.path());
  if (!draft_) return {};
  const auto found = place_.status();
  if (!found) return std::unexpected(found.error());
  const bool replace = *found && request_.existing != Existing::Refuse;
  if (replace) {
    if (!S_ISREG((*found)->st_mode))
      return fail(ErrorKind::Denied, "'{}' was replaced while being written", place_.path());
    PEREGRINE_TRY(check_contents_at(place_, request_));
  }
  return draft_->take(replace);
}

Result<Fd> open_special_file(const OutputPlace& place, const struct stat& found) {
  if (S_ISLNK(found.st_mode)) return use_open_file(place);
  PEREGRINE_TRY(check_special_file(place, found));
  return S_ISFIFO(found.st_mode) ? open_fifo(place) : place.open(O_WRONLY | O_NOCTTY);
}

Result<> check_special_file(const OutputPlace& place, const struct stat& status) {
  if (S_ISDIR(status.st_mode)) return fail_errno(place.path(), EISDIR);
  if (S_ISBLK(status.st_mode))
    return fail(ErrorKind::Denied, "'{}' is a block device: refusing to overwrite it", place.path());
  if (!S_ISFIFO(status.st_mode) || owned_by_self_or_root(status) || place.in_proc()) return {};
  struct stat folder{};
  if (::fstat(place.folder(), &folder) != 0) return fail_errno(place.path());
  const bool anybodys = (folder.st_mode & S_IWOTH) != 0;
  if (anybodys && folder.st_uid != status.st_uid)
    return fail(ErrorKind::Denied, "'{}' is a FIFO owned by user {} in a world-writable folder", place.path(),
                status.st_uid);
  return {};
}

namespace {

using FdStep = LinkStep<Fd>;

// Renames a non-empty file to NAME.old. A link to one is moved, not followed. Returns false if there is no such file
// or it cannot be moved, and Denied if the file or NAME.old must not be overwritten.
Result<bool> move_to_old(const OutputPlace& place, const struct stat& found, const OutputRequest& request) {
  struct stat file = found;
  if (S_ISLNK(found.st_mode)) {
    if (place.in_proc()) return false;
    const auto behind = follow_links(place.path());
    if (!behind) return std::unexpected(behind.error());
    const auto target = behind->status();
    if (!target || !*target) return false;
    file = **target;
  }
  if (!S_ISREG(file.st_mode) || file.st_size == 0) return false;
  PEREGRINE_TRY(check_overwriting(place, found, request));
  const auto old = place.sibling(place.name() + ".old");
  if (!old) return false;
  const auto older = old->status();
  if (!older) return false;
  if (*older && S_ISREG((*older)->st_mode)) PEREGRINE_TRY(check_contents_at(*old, request));
  return place.rename_to(*old).has_value();
}

Result<FdStep> end_with(Result<Fd> fd) {
  if (!fd) return std::unexpected(std::move(fd.error()));
  return FdStep(std::move(*fd));
}

Result<FdStep> create_or_follow(OutputPlace& place, const OutputRequest& request) {
  auto fd = place.open(O_WRONLY | O_CREAT | O_EXCL, request.mode);
  if (fd || fd.error().system_errno != EEXIST) return end_with(std::move(fd));
  const auto found = place.status();
  if (!found) return std::unexpected(found.error());
  if (!*found) return FdStep(std::monostate());  // removed meanwhile
  const struct stat& status = **found;
  if (request.existing == Existing::KeepOld) {
    const auto moved = move_to_old(place, status, request);
    if (!moved) return std::unexpected(moved.error());
    if (*moved) return FdStep(std::monostate());
  }
  if (S_ISREG(status.st_mode)) return end_with(use_regular(place, status, request));
  if (S_ISLNK(status.st_mode)) {
    if (request.existing == Existing::Refuse) return refuse_existing(place, status, request);
    if (!place.in_proc()) return FdStep(status);
  }
  return end_with(open_special_file(place, status));
}

}  // namespace

Result<Fd> create_output(const std::string& path, const OutputRequest& request) {
  return walk_links<Fd>(path, [&](OutputPlace& place) { return create_or_follow(place, request); });
}

}  // namespace peregrine
