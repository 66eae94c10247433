#include "pipeline/bundle/private_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <expected>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/concurrency/detached_process.h"
#include "base/file/folder_entries.h"

namespace peregrine {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kFolderName = "peregrine-unpacked-", kRandom = "XXXXXX";
constexpr char kDone = 'd';
// A marker file in each of our folders, because a matching name alone does not prove that a folder is ours.
constexpr const char* kMark = ".unpacked-by-peregrine";

// Returns whether everything was removed. Removes the mark last, so that after a kill the folder is still recognized as
// ours. Retries after an interrupted or failed call, since unpacked files must not be left behind.
bool remove_whole(const std::string& path) {
  constexpr int kAttempts = 3;  // each continues where the last one stopped
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    std::error_code error;
    for (fs::directory_iterator at(path, error), end; !error && at != end; at.increment(error))
      if (at->path().filename() != kMark) fs::remove_all(at->path(), error);
    if (!error) fs::remove_all(path, error);
    if (!error) return true;
  }
  return false;
}

Fd open_folder(const std::string& path) {
  return Fd(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

// Returns the locked folder if it is ours and abandoned. A live owner holds the lock until it ends.
Fd lock_abandoned(const fs::path& path) {
  const std::string name = path.filename().string();
  if (!name.starts_with(kFolderName) || name.size() != kFolderName.size() + kRandom.size()) return {};
  Fd folder = open_folder(path);
  struct stat status{};
  if (!folder || ::fstat(folder.get(), &status) != 0) return {};
  const bool ours = status.st_uid == ::geteuid() && (status.st_mode & 07777) == 0700;
  // A process may have been killed before it set the mark, or just after it removed it.
  const bool marked = (::fstatat(folder.get(), kMark, &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(status.st_mode)) ||
                      names_in_folder(path.string()).empty();
  return ours && marked && ::flock(folder.get(), LOCK_EX | LOCK_NB) == 0 ? std::move(folder) : Fd();
}

void remove_abandoned(const std::string& top) {
  for (const std::string& name : names_in_folder(top)) {
    const fs::path path = fs::path(top) / name;
    if (const Fd locked = lock_abandoned(path)) remove_whole(path);
  }
}

// Runs in a separate process that outlives ours. After kDone there is nothing to remove.
void wait_and_remove(int alive, const std::string& path) {
  if (::chdir("/") != 0) return;
  char word = 0;
  while (::read(alive, &word, 1) < 0 && errno == EINTR) {
  }
  if (word != kDone) remove_whole(path);
}

// If the guard cannot start, the destructor or the next start removes the folder.
Fd start_guard(const std::string& path) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return {};
  Fd wait_end(ends[0]), alive(ends[1]);
  const auto started = start_detached(std::array{wait_end.get()}, [&] { wait_and_remove(wait_end.get(), path); });
  return started ? std::move(alive) : Fd();
}

bool is_there(const Fd& folder, const std::string& path) {
  struct stat held{}, named{};
  return ::fstat(folder.get(), &held) == 0 && ::lstat(path.c_str(), &named) == 0 && held.st_ino == named.st_ino &&
         held.st_dev == named.st_dev;
}

}  // namespace

Result<PrivateFolder> PrivateFolder::make(const std::string& top) {
  constexpr unsigned kAttempts = 100;
  std::error_code error;
  const fs::path whole = fs::absolute(top, error);
  if (error) return fail(ErrorKind::System, "{}: {}", top, error.message());
  remove_abandoned(whole);
  for (unsigned attempt = 0; attempt < kAttempts; ++attempt) {
    PrivateFolder folder;
    std::string pattern = fmt::format("{}/{}{}", whole.string(), kFolderName, kRandom);
    if (::mkdtemp(pattern.data()) == nullptr) return fail_errno(pattern);
    folder.path_ = std::move(pattern);
    folder.held_ = open_folder(folder.path_);
    // Until the folder is locked, another start may consider it abandoned and remove it.
    if (!folder.held_ && errno != ENOENT) return fail_errno(folder.path_);
    if (!folder.held_ || ::flock(folder.held_.get(), LOCK_EX) != 0 || !is_there(folder.held_, folder.path_)) continue;
    const Fd mark(::openat(folder.held_.get(), kMark, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (!mark) return fail_errno(folder.path_);
    folder.alive_ = start_guard(folder.path_);
    return folder;
  }
  return fail(ErrorKind::System, "{}: cannot create a temporary folder", top);
}

// Uses a private folder, since not every file system supports O_TMPFILE.
Result<Fd> make_unnamed_file(const std::string& top) {
  auto folder = PrivateFolder::make(top);
  if (!folder) return std::unexpected(std::move(folder.error()));
  const std::string path = folder->path() + "/perf.data";
  folder->will_make(path);
  auto file = open_file(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0600);
  if (!file) return std::unexpected(std::move(file.error()));
  if (::unlink(path.c_str()) != 0) return fail_errno(path);
  return std::move(*file);
}

PrivateFolder::PrivateFolder(PrivateFolder&& other) noexcept { *this = std::move(other); }

PrivateFolder& PrivateFolder::operator=(PrivateFolder&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(files_, other.files_);
  std::swap(held_, other.held_);
  std::swap(alive_, other.alive_);
  return *this;
}

// Returns whether everything was removed. Opens no descriptor, so it works when none are left.
bool PrivateFolder::remove_known() const {
  for (const std::string& file : files_) {
    ::unlink(file.c_str());
    for (fs::path folder = fs::path(file).parent_path(); folder.native().size() > path_.size();
         folder = folder.parent_path())
      if (::rmdir(folder.c_str()) != 0) break;
  }
  ::unlink(fmt::format("{}/{}", path_, kMark).c_str());
  return ::rmdir(path_.c_str()) == 0;
}

PrivateFolder::~PrivateFolder() {
  const bool gone = path_.empty() || remove_whole(path_) || remove_known();
  // Without kDone, the guard process tries again.
  if (alive_ && gone) [[maybe_unused]]
    const ssize_t told = ::write(alive_.get(), &kDone, 1);
}

}  // namespace peregrine
