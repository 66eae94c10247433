#include "pipeline/bundle/private_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <string_view>

namespace peregrine {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kName = "peregrine.", kRandom = "XXXXXX";
constexpr time_t kYoung = 60;  // seconds; its maker may not have locked it yet

Fd open_folder(const std::string& path) {
  return Fd(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

// The folder is ours and of this kind, and its maker is gone.
bool is_abandoned(const fs::path& path) {
  const std::string name = path.filename().string();
  if (!name.starts_with(kName) || name.size() != kName.size() + kRandom.size()) return false;
  const Fd folder = open_folder(path);
  struct stat status{};
  if (!folder || ::fstat(folder.get(), &status) != 0) return false;
  const bool ours = status.st_uid == ::geteuid() && (status.st_mode & 07777) == 0700;
  return ours && std::time(nullptr) - status.st_mtime > kYoung && ::flock(folder.get(), LOCK_EX | LOCK_NB) == 0;
}

void remove_abandoned(const std::string& top) {
  std::error_code error;
  for (fs::directory_iterator at(top, error), end; !error && at != end; at.increment(error)) {
    std::error_code kept;
    if (is_abandoned(at->path())) fs::remove_all(at->path(), kept);
  }
}

}  // namespace

Result<PrivateFolder> PrivateFolder::make(const std::string& top) {
  remove_abandoned(top);
  PrivateFolder folder;
  std::string pattern = fmt::format("{}/{}{}", top, kName, kRandom);
  if (::mkdtemp(pattern.data()) == nullptr) return fail_errno(pattern);
  folder.path_ = std::move(pattern);
  folder.held_ = open_folder(folder.path_);
  if (folder.held_) ::flock(folder.held_.get(), LOCK_EX);
  return folder;
}

PrivateFolder::PrivateFolder(PrivateFolder&& other) noexcept { *this = std::move(other); }

PrivateFolder& PrivateFolder::operator=(PrivateFolder&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(held_, other.held_);
  return *this;
}

PrivateFolder::~PrivateFolder() {
  std::error_code error;
  if (!path_.empty()) fs::remove_all(path_, error);
}

}  // namespace peregrine
