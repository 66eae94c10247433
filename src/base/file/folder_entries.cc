#include "base/file/folder_entries.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace peregrine {
namespace {

std::vector<std::string> sorted_names(FolderEntries& entries) {
  std::vector<std::string> names;
  while (const auto entry = entries.next()) names.emplace_back(entry->name);
  std::ranges::sort(names);
  return names;
}

}  // namespace

FolderEntries::FolderEntries(const std::string& path) {
  do folder_.reset(::opendir(path.c_str()));
  while (!folder_ && errno == EINTR);
  if (!folder_) error_ = errno;
}

FolderEntries::FolderEntries(int folder) {
  int own = -1;
  do own = ::openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  while (own < 0 && errno == EINTR);
  if (own >= 0) folder_.reset(::fdopendir(own));
  if (folder_) return;
  error_ = errno;
  if (own >= 0) ::close(own);
}

std::optional<FolderEntries::Entry> FolderEntries::next() {
  while (folder_) {
    errno = 0;
    const dirent* const entry = ::readdir(folder_.get());
    if (entry == nullptr) {
      if (errno == EINTR) continue;
      error_ = errno;
      break;
    }
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") return Entry{name, entry->d_type};
  }
  return std::nullopt;
}

std::vector<std::string> names_in_folder(const std::string& path, ReadFailures* failures) {
  FolderEntries entries(path);
  std::vector<std::string> names = sorted_names(entries);
  note_failure(failures, path, entries.error());
  return names;
}

std::vector<std::string> names_in_folder(int folder) {
  FolderEntries entries(folder);
  return sorted_names(entries);
}

bool is_regular_file(const std::string& path) {
  struct stat status{};
  return ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

}  // namespace peregrine
