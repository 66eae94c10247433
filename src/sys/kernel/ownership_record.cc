#include "sys/kernel/ownership_record.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <expected>
#include <string_view>

#include "base/number/parse_number.h"
#include "base/result.h"

namespace peregrine {
namespace {

constexpr std::string_view kUnfinished = "new.";  // prefix of notes that are not locked and complete yet
constexpr std::size_t kMostBytes = std::size_t{1} << 24;

std::string folder_of(const Root& root) {
  const uid_t user = ::geteuid();
  return root.path(user == 0 ? "/run/peregrine" : fmt::format("/run/user/{}/peregrine", user));
}

// A note describes kernel state, which ends at reboot, but a container's /run may outlive that.
std::string boot_line(const Root& root) {
  return fmt::format("boot {}\n", root.line("/proc/sys/kernel/random/boot_id").value_or(""));
}

// Trusts only a folder that belongs to us and is not writable by others.
Result<> judge_folder(const std::string& folder) {
  const Fd fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct stat status{};
  if (!fd || ::fstat(fd.get(), &status) != 0) return fail_errno(folder);
  if (status.st_uid != ::geteuid() || (status.st_mode & (S_IWGRP | S_IWOTH)) != 0)
    return fail(ErrorKind::Denied, "'{}' belongs to another user or is writable by others", folder);
  return {};
}

bool is_still_at(const std::string& path, int fd) {
  struct stat there{}, opened{};
  return ::lstat(path.c_str(), &there) == 0 && ::fstat(fd, &opened) == 0 && there.st_ino == opened.st_ino &&
         there.st_dev == opened.st_dev;
}

bool is_alive(const Root& root, Pid process) {
  if (::kill(process, 0) != 0 && errno == ESRCH) return false;
  return process_state(root, process) != 'Z';
}

// Locks an abandoned note. While its owner lives, somebody else holds the lock; and for a moment after its end, the
// process that undoes its changes.
bool lock_abandoned(const Root& root, int note, Pid owner, unsigned& attempts) {
  constexpr unsigned kPauseUs = 10'000;
  for (;;) {
    if (::flock(note, LOCK_EX | LOCK_NB) == 0) return true;
    if (errno != EWOULDBLOCK || attempts == 0 || is_alive(root, owner)) return false;
    --attempts;
    ::usleep(kPauseUs);
  }
}

struct Draft {
  std::string path;
  Fd fd;
};

// Retries, because before the lock is taken another process may consider the note abandoned and remove it.
Result<Draft> make_locked(const std::string& pattern) {
  for (;;) {
    std::string path = pattern;
    Fd fd(::mkostemp(path.data(), O_CLOEXEC));
    if (!fd) return fail_errno(path);
    if (::flock(fd.get(), LOCK_EX) != 0) {
      auto failed = fail_errno(path);
      ::unlink(path.c_str());
      return failed;
    }
    if (is_still_at(path, fd.get())) return Draft{std::move(path), std::move(fd)};
  }
}

// Removes the draft of a process that was killed before its note was complete, and therefore before it created the
// state that the note describes.
void remove_draft(const std::string& path) {
  const Fd fd(::open(path.c_str(), O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (fd && ::flock(fd.get(), LOCK_EX | LOCK_NB) == 0 && is_still_at(path, fd.get())) ::unlink(path.c_str());
}

}  // namespace

Result<OwnershipRecord> OwnershipRecord::create(const Root& root, std::string_view text) {
  const std::string folder = folder_of(root);
  if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) return fail_errno(folder);
  PEREGRINE_TRY(judge_folder(folder));
  auto draft = make_locked(fmt::format("{}/{}{}.XXXXXX", folder, kUnfinished, ::getpid()));
  if (!draft) return std::unexpected(std::move(draft.error()));
  const std::string& unfinished = draft->path;
  Fd fd = std::move(draft->fd);
  // Only a complete note gets the name that other processes look for.
  std::string path = unfinished;
  path.erase(folder.size() + 1, kUnfinished.size());
  const std::string whole = boot_line(root) + std::string(text);
  auto written = write_all(fd.get(), whole.data(), whole.size());
  if (written && ::rename(unfinished.c_str(), path.c_str()) != 0) written = fail_errno(unfinished);
  if (!written) {
    ::unlink(unfinished.c_str());
    return std::unexpected(std::move(written.error()));
  }
  return OwnershipRecord(std::move(path), std::move(fd), ::getpid(), std::string(text));
}

std::vector<OwnershipRecord> OwnershipRecord::abandoned(const Root& root) {
  std::vector<OwnershipRecord> found;
  const std::string folder = folder_of(root);
  if (!judge_folder(folder)) return found;
  const std::string boot = boot_line(root);
  unsigned attempts = 100;  // for all notes: a second
  for (const std::string& name : Root(folder).sorted_names("/")) {
    if (name.starts_with(kUnfinished)) remove_draft(folder + "/" + name);
    std::string_view digits = name;
    const auto owner = take_number<Pid>(digits);
    if (!owner) continue;
    const std::string path = folder + "/" + name;
    Fd fd(::open(path.c_str(), O_RDWR | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    if (!fd || !lock_abandoned(root, fd.get(), *owner, attempts) || !is_still_at(path, fd.get())) continue;
    auto text = read_all(fd.get(), path, kMostBytes);
    if (!text) continue;
    const bool is_current = text->starts_with(boot);
    OwnershipRecord record(path, std::move(fd), *owner, is_current ? text->substr(boot.size()) : "");
    if (is_current)
      found.push_back(std::move(record));
    else
      record.settle();
  }
  return found;
}

Result<> OwnershipRecord::append(std::string_view text) {
  PEREGRINE_TRY(write_all(fd_.get(), text.data(), text.size()));
  text_ += text;
  return {};
}

void OwnershipRecord::settle() {
  if (fd_ && is_still_at(path_, fd_.get())) ::unlink(path_.c_str());
  fd_.reset();
}

}  // namespace peregrine
