#include "capture/daemon/bounded_output.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <expected>
#include <utility>

#include "base/result.h"
#include "capture/daemon/base_folder.h"

namespace peregrine {

Result<BoundedOutput> BoundedOutput::open(int folder, const std::string& path) {
  BoundedOutput output;
  output.folder_ = folder;
  output.path_ = path + "/output";
  auto file = open_private_file(folder, "output", O_WRONLY | O_APPEND, output.path_);
  if (!file) return std::unexpected(std::move(file.error()));
  if (::ftruncate(file->get(), 0) != 0) return fail_errno(output.path_);
  output.file_ = std::move(*file);
  return output;
}

bool BoundedOutput::append(std::string_view text) {
  bool rotated = false;
  while (!text.empty()) {
    if (size_ >= kLimit) {
      if (!rotate()) return rotated;
      rotated = true;
    }
    const std::string_view piece = text.substr(0, kLimit - size_);
    if (!write_all(file_.get(), piece.data(), piece.size())) return rotated;
    size_ += piece.size();
    text.remove_prefix(piece.size());
  }
  return rotated;
}

bool BoundedOutput::rotate() {
  struct stat status{};
  const bool taken = ::fstatat(folder_, "output.old", &status, AT_SYMLINK_NOFOLLOW) == 0;
  if (taken && !S_ISREG(status.st_mode)) return false;  // not written by us
  if (::renameat(folder_, "output", folder_, "output.old") != 0) return false;
  auto file = open_private_file(folder_, "output", O_WRONLY | O_APPEND, path_);
  if (!file) return false;
  file_ = std::move(*file);
  size_ = 0;
  return true;
}

}  // namespace peregrine
