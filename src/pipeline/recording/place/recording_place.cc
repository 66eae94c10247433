#include "pipeline/recording/place/recording_place.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <expected>
#include <initializer_list>
#include <string_view>
#include <utility>

#include "base/fd.h"
#include "base/file/output_file.h"
#include "base/file/output_place.h"
#include "base/result.h"

namespace peregrine {
namespace {

using Kind = RecordingEntry::Kind;

std::unexpected<Error> refuse(const OutputPlace& place, std::string_view why) {
  return std::unexpected(
      Error{ErrorKind::Denied, fmt::format("cannot write to '{}': it {}", place.path(), why)}.with_hint(
          "only recordings can be replaced: pass another name with -o, or move the file"));
}

std::unexpected<Error> refuse_second(const OutputPlace& place) {
  return std::unexpected(
      Error{ErrorKind::Denied, fmt::format("cannot write to '{}': another recorder is writing it", place.path())}
          .with_hint("pass another name with -o, or wait until the other recorder exits"));
}

// `at` has changed since claim() judged it. Usually another recorder moved a recording aside and put a new one there.
std::unexpected<Error> refuse_changed(const OutputPlace& at, const OutputPlace& wanted) {
  const auto now = judge_entry(at);
  const auto is_one_of = [&](std::initializer_list<Kind> kinds) {
    return std::ranges::find(kinds, now->kind) != kinds.end();
  };
  if (now && is_one_of({Kind::Nothing, Kind::EmptyFile, Kind::EmptyFolder, Kind::File, Kind::Folder}))
    return refuse_second(wanted);
  return refuse(at, "was replaced in the meantime");
}

// Output that is written in place is locked, so that a second recorder neither writes to it nor removes it on failure.
// If the file system does not support locks, both continue. Files use fcntl(2) locks, since our caller may hold a
// flock(1) lock on the file.
bool lock_folder(int folder) { return ::flock(folder, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK; }

bool lock_file(int file) {
  struct flock whole{};
  whole.l_type = F_WRLCK;
  whole.l_whence = SEEK_SET;
  return ::fcntl(file, F_OFD_SETLK, &whole) == 0 || (errno != EAGAIN && errno != EACCES);
}

std::string why_kept(const RecordingEntry& entry) {
  if (entry.kind == Kind::OtherLink) return "is a link to something that is not a recording";
  return entry.kind == Kind::Special ? "is not a regular file" : entry.why;
}

// Checks that `at` is still the entry that claim() judged, or still missing.
Result<> check_unchanged(const OutputPlace& at, const RecordingEntry& judged, const OutputPlace& wanted) {
  const auto now = at.status();
  if (!now) return std::unexpected(now.error());
  const bool was_there = judged.kind != Kind::Nothing;
  bool same = now->has_value() == was_there;
  if (same && was_there) same = is_same(**now, judged.status);
  if (same && judged.kind == Kind::EmptyFile) same = (*now)->st_size == 0;
  return same ? Result<>() : refuse_changed(at, wanted);
}

bool is_ours(const struct stat& status) { return status.st_uid == ::geteuid(); }

bool is_folder(const RecordingEntry& entry) { return entry.kind == Kind::Folder || entry.kind == Kind::EmptyFolder; }

}  // namespace

Result<RecordingPlace> RecordingPlace::claim(const std::string& path, Shape shape) {
  using Step = LinkStep<RecordingPlace>;
  return walk_links<RecordingPlace>(path, [shape](OutputPlace& place) -> Result<Step> {
    auto found = judge_entry(place);
    if (!found) return std::unexpected(std::move(found.error()));
    const bool follow = found->kind == Kind::DanglingLink || found->kind == Kind::OtherLink;
    if (follow && !place.in_proc()) return Step(found->status);
    RecordingPlace claimed(std::move(place));
    claimed.found_ = std::move(*found);
    PEREGRINE_TRY(claimed.settle(shape));
    return Step(std::move(claimed));
  });
}

RecordingPlace::RecordingPlace(RecordingPlace&& other) noexcept
    : place_(std::move(other.place_)),
      found_(std::move(other.found_)),
      old_(std::move(other.old_)),
      old_found_(std::move(other.old_found_)),
      draft_(std::move(other.draft_)),
      in_place_(std::move(other.in_place_)),
      draft_name_(std::move(other.draft_name_)),
      held_folder_(std::move(other.held_folder_)),
      has_name_(other.has_name_),
      taken_(std::exchange(other.taken_, true)) {}

RecordingPlace::~RecordingPlace() {
  if (taken_) return;
  if (!held_folder_) {
    if (in_place_ && has_name_ && ::ftruncate(in_place_.get(), 0) != 0) return;
    return;
  }
  static_cast<void>(remove_folder_contents(held_folder_.get()));
  if (!draft_name_.empty()) ::unlinkat(place_.folder(), draft_name_.c_str(), AT_REMOVEDIR);
}

Result<> RecordingPlace::settle(Shape shape) {
  switch (found_.kind) {
    case Kind::Foreign:
      return refuse(place_, found_.why);
    case Kind::Special:
      return open_special(shape, false);
    case Kind::OtherLink:
    case Kind::DanglingLink:  // claim() follows these except in /proc
      return open_special(shape, true);
    case Kind::EmptyFile:
      return use_empty_file(shape);
    case Kind::EmptyFolder:
      return use_empty_folder(shape);
    case Kind::Link:
      if (place_.in_proc()) return refuse(place_, "is an open file that is not empty");
      if (auto end = place_.behind(found_.status); !end) return std::unexpected(std::move(end.error()));
      [[fallthrough]];
    case Kind::File:
    case Kind::Folder:
      PEREGRINE_TRY(claim_old());
      return make_draft(shape);
    case Kind::Nothing:
      return make_draft(shape);
  }
  return {};
}

Result<> RecordingPlace::open_special(Shape shape, bool link) {
  if (shape == Shape::Folder) return refuse(place_, "is not a folder");
  if (!link) PEREGRINE_TRY(check_special_file(place_, found_.status));
  auto fd = link ? place_.open_link(O_RDWR | O_NOCTTY) : place_.open(O_RDWR | O_NOCTTY);
  if (!fd) return std::unexpected(std::move(fd.error()));
  struct stat status{};
  if (::fstat(fd->get(), &status) != 0) return fail_errno(place_.path());
  if (!S_ISREG(status.st_mode)) {
    PEREGRINE_TRY(check_special_file(place_, status));
    if (::lseek(fd->get(), 0, SEEK_CUR) < 0)
      return std::unexpected(
          Error{ErrorKind::Unsupported, fmt::format("cannot write to '{}': it is a pipe or a terminal, and the header "
                                                    "of a recording file is written last",
                                                    place_.path())}
              .with_hint("use -o - to write a pipe recording to standard output: -o - > FIFO, -o - | PROGRAM"));
  } else if (status.st_size != 0) {
    return refuse(place_, "is an open file that is not empty");
  }
  in_place_ = std::move(*fd);
  has_name_ = false;
  return {};
}

Result<> RecordingPlace::claim_old() {
  auto old = place_.sibling(place_.name() + ".old");
  if (!old) return std::unexpected(std::move(old.error()));
  auto found = judge_entry(*old);
  if (!found) return std::unexpected(std::move(found.error()));
  if (!found->is_removable()) {
    return std::unexpected(
        Error{ErrorKind::Denied, fmt::format("Can't remove old data: '{}' {}", old->path(), why_kept(*found))}
            .with_hint("only recordings are removed: move it, or choose another name with -o"));
  }
  old_.emplace(std::move(*old));
  old_found_ = std::move(*found);
  return {};
}

Result<> RecordingPlace::use_empty_file(Shape shape) {
  if (shape == Shape::Folder || !is_ours(found_.status) || found_.status.st_nlink != 1) return make_draft(shape);
  auto fd = place_.open(O_RDWR | O_NOCTTY | O_NONBLOCK);
  if (!fd) return std::unexpected(std::move(fd.error()));
  struct stat status{};
  if (::fstat(fd->get(), &status) != 0) return fail_errno(place_.path());
  if (!lock_file(fd->get())) return refuse_second(place_);
  if (!is_same(status, found_.status) || status.st_size != 0) return refuse_changed(place_, place_);
  in_place_ = std::move(*fd);
  return {};
}

Result<> RecordingPlace::use_empty_folder(Shape shape) {
  if (shape == Shape::File) return refuse(place_, "is a folder");
  if (!is_ours(found_.status)) return refuse(place_, fmt::format("belongs to user {}", found_.status.st_uid));
  auto folder = place_.open(O_RDONLY | O_DIRECTORY);
  if (!folder) return std::unexpected(std::move(folder.error()));
  struct stat status{};
  if (::fstat(folder->get(), &status) != 0) return fail_errno(place_.path());
  if (!lock_folder(folder->get())) return refuse_second(place_);
  if (!is_same(status, found_.status)) return refuse_changed(place_, place_);
  // The previous holder of the lock may have written a recording after claim() looked at the folder.
  const auto now = judge_entry(place_);
  if (!now) return std::unexpected(now.error());
  if (now->kind != Kind::EmptyFolder) return refuse_changed(place_, place_);
  held_folder_ = std::move(*folder);
  return {};
}

Result<> RecordingPlace::make_draft(Shape shape) {
  if (shape == Shape::File) {
    auto draft = OutputDraft::create(place_, kPrivateMode);
    if (!draft) return std::unexpected(std::move(draft.error()));
    draft_.emplace(std::move(*draft));
    return {};
  }
  auto name = make_with_draft_name(
      place_.name(), [&](const char* free) { return ::mkdirat(place_.folder(), free, 0700) == 0 ? 0 : errno; });
  if (!name) return fail_errno(place_.path(), name.error().system_errno);
  draft_name_ = std::move(*name);
  held_folder_ = Fd(::openat(place_.folder(), draft_name_.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (held_folder_) return {};
  const int error = errno;
  ::unlinkat(place_.folder(), draft_name_.c_str(), AT_REMOVEDIR);
  return fail_errno(place_.path(), error);
}

Result<Fd> RecordingPlace::file() const {
  if (draft_) return draft_->descriptor();
  Fd other(::fcntl(in_place_.get(), F_DUPFD_CLOEXEC, 0));
  if (!other) return fail_errno(place_.path());
  return other;
}

bool RecordingPlace::is_in_place() const {
  const int held = held_folder_ ? held_folder_.get() : draft_ ? draft_->fd() : in_place_.get();
  struct stat status{};
  const auto there = place_.status();
  return ::fstat(held, &status) == 0 && there && *there && is_same(**there, status);
}

Result<> RecordingPlace::put_aside() {
  if (!old_) return {};
  PEREGRINE_TRY(check_unchanged(place_, found_, place_));
  PEREGRINE_TRY(check_unchanged(*old_, old_found_, place_));
  // Renaming a file replaces the old one atomically; a folder needs the name to be free.
  Result<> moved;
  if (is_folder(found_) || is_folder(old_found_)) moved = remove_entry(*old_, old_found_);
  if (moved) moved = place_.rename_to(*old_);
  // Another recorder may have renamed both since the checks above.
  if (!moved) PEREGRINE_TRY(check_unchanged(place_, found_, place_));
  return moved;
}

Result<> RecordingPlace::publish() {
  const bool empty_file = found_.kind == Kind::EmptyFile;
  if (empty_file) PEREGRINE_TRY(check_unchanged(place_, found_, place_));
  if (draft_) {
    auto taken = draft_->take(empty_file);
    return taken || taken.error().system_errno != EEXIST ? taken : refuse_changed(place_, place_);
  }
  if (empty_file) PEREGRINE_TRY(remove_entry(place_, found_));
  const char *const from = draft_name_.c_str(), *const to = place_.name().c_str();
  int failed = ::renameat2(place_.folder(), from, place_.folder(), to, RENAME_NOREPLACE);
  // Without RENAME_NOREPLACE: renaming a folder never replaces a file or a folder with entries.
  if (failed != 0 && (errno == EINVAL || errno == ENOSYS))
    failed = ::renameat(place_.folder(), from, place_.folder(), to);
  if (failed != 0 && (errno == EEXIST || errno == ENOTEMPTY || errno == ENOTDIR)) return refuse_changed(place_, place_);
  if (failed != 0) return fail_errno(place_.path());
  draft_name_.clear();
  return {};
}

Result<> RecordingPlace::take() {
  if (taken_) return {};
  if (draft_ || !draft_name_.empty()) {
    PEREGRINE_TRY(put_aside());
    if (auto published = publish(); !published) {
      const auto now = place_.status();
      if (old_ && now && !*now) static_cast<void>(old_->rename_to(place_));
      return published;
    }
  }
  taken_ = true;
  return {};
}

Result<> RecordingPlace::sync() const {
  if (!has_name_) return {};
  if (held_folder_ && ::fsync(held_folder_.get()) != 0 && errno != EINVAL && errno != EROFS)
    return fail_errno(place_.path());
  const Fd folder(::openat(place_.folder(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  // A folder without read permission cannot be opened for this; its entries reach the disk later.
  if (folder && ::fsync(folder.get()) != 0 && errno != EINVAL) return fail_errno(place_.path());
  return {};
}

}  // namespace peregrine
