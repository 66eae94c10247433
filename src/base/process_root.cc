#include "base/process_root.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstddef>
#include <deque>
#include <expected>
#include <utility>
#include <vector>

#include "base/result.h"

namespace peregrine {
namespace {

constexpr unsigned kKernelLinks = 40;  // same as the kernel's limit

std::string whole(const std::string& root, std::string_view below) { return fmt::format("{}/{}", root, below); }

Result<Fd> open_root(const std::string& root) {
  Fd fd(::open(root.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!fd) return fail_errno(root);
  return fd;
}

std::string read_link(int folder, const std::string& name) {
  std::array<char, PATH_MAX> text{};
  const ssize_t size = ::readlinkat(folder, name.c_str(), text.data(), text.size());
  return size <= 0 ? std::string() : std::string(text.data(), static_cast<std::size_t>(size));
}

// Puts the parts of a path before the parts that are still to be walked.
void put_parts(std::string_view path, std::deque<std::string>& parts) {
  std::vector<std::string> found;
  while (!path.empty()) {
    const std::size_t end = std::min(path.find('/'), path.size());
    if (end != 0 && path.substr(0, end) != ".") found.emplace_back(path.substr(0, end));
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  parts.insert(parts.begin(), found.begin(), found.end());
}

// Walks folder by folder and resolves links itself, because the kernel would resolve them outside the process's root.
class Walk {
 public:
  Walk(Fd root, std::string name) : root_(std::move(root)), name_(std::move(name)) {}

  Result<Fd> open(std::string_view below, int flags) {
    put_parts(below, parts_);
    while (!parts_.empty()) {
      const std::string part = std::move(parts_.front());
      parts_.pop_front();
      if (part == "..") {
        // ".." of the root is the root, as for the process.
        if (!folders_.empty()) folders_.pop_back();
        continue;
      }
      // O_PATH opens without side effects: the part may be a device or a FIFO.
      Fd next(::openat(here(), part.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
      struct stat status{};
      if (!next || ::fstat(next.get(), &status) != 0) return fail_errno(name_);
      if (S_ISLNK(status.st_mode) && !(parts_.empty() && (flags & O_NOFOLLOW) != 0)) {
        PEREGRINE_TRY(follow(part));
      } else if (parts_.empty()) {
        return reopen(part, flags);
      } else {
        folders_.push_back(std::move(next));  // opening anything below a non-folder fails
      }
    }
    return reopen(".", flags);
  }

 private:
  int here() const { return folders_.empty() ? root_.get() : folders_.back().get(); }
  Result<> follow(const std::string& link) {
    const std::string target = read_link(here(), link);
    if (target.empty() || ++links_ > kKernelLinks) return fail_errno(name_, ELOOP);
    if (target.starts_with('/')) folders_.clear();
    put_parts(target, parts_);
    return {};
  }
  Result<Fd> reopen(const std::string& part, int flags) const {
    Fd fd(::openat(here(), part.c_str(), flags | O_NOFOLLOW | O_CLOEXEC));
    if (!fd) return fail_errno(name_);
    return fd;
  }

  Fd root_;
  std::string name_;
  std::vector<Fd> folders_;
  std::deque<std::string> parts_;
  unsigned links_ = 0;
};

}  // namespace

std::optional<ProcessPath> split_process_path(std::string_view path) {
  constexpr std::string_view kProc = "/proc/", kRoot = "/root";
  if (!path.starts_with(kProc)) return std::nullopt;
  const std::size_t digits = path.find_first_not_of("0123456789", kProc.size());
  if (digits == kProc.size() || digits == std::string_view::npos || !path.substr(digits).starts_with(kRoot))
    return std::nullopt;
  const std::size_t end = digits + kRoot.size();
  if (end < path.size() && path[end] != '/') return std::nullopt;
  return ProcessPath{std::string(path.substr(0, end)), path.substr(std::min(end + 1, path.size()))};
}

Result<Fd> open_in_root(const std::string& root, std::string_view below, int flags) {
  auto folder = open_root(root);
  if (!folder && folder.error().system_errno == EACCES) return ask_for_process_file(whole(root, below), flags);
  if (!folder) return folder;
  open_how how{};
  how.flags = static_cast<unsigned>(flags | O_CLOEXEC);
  how.resolve = RESOLVE_IN_ROOT;
  const std::string path = below.empty() ? "." : std::string(below);
  constexpr unsigned kAttempts = 10;  // EAGAIN: a concurrent rename
  for (unsigned attempt = 0; attempt < kAttempts; ++attempt) {
    const long fd = ::syscall(SYS_openat2, folder->get(), path.c_str(), &how, sizeof how);
    if (fd >= 0) return Fd(static_cast<int>(fd));
    if (errno == EINTR || errno == EAGAIN) continue;
    // Without openat2 (before Linux 5.6, or filtered), the walk does the same in several calls.
    if (errno == ENOSYS || errno == EPERM) break;
    return fail_errno(whole(root, below));
  }
  return open_in_root_by_steps(root, below, flags);
}

Result<Fd> open_in_root_by_steps(const std::string& root, std::string_view below, int flags) {
  auto folder = open_root(root);
  if (!folder) return folder;
  return Walk(std::move(*folder), whole(root, below)).open(below, flags);
}

Result<Fd> ask_for_process_file(const std::string& path, int flags) {
  open_how how{};
  how.flags = static_cast<unsigned>(flags | O_CLOEXEC);
  Fd fd(static_cast<int>(::syscall(SYS_openat2, AT_FDCWD, path.c_str(), &how, sizeof how)));
  if (!fd) return fail_errno(path, EACCES);
  return fd;
}

Result<struct stat> stat_file(const std::string& path) {
  struct stat status{};
  const auto inside = split_process_path(path);
  if (!inside) {
    if (::stat(path.c_str(), &status) == 0) return status;
    if (errno != EACCES || !path.starts_with("/proc/")) return fail_errno(path);
  }
  const auto fd = !inside ? ask_for_process_file(path, O_PATH) : open_in_root(inside->root, inside->below, O_PATH);
  if (!fd) return std::unexpected(fd.error());
  if (::fstat(fd->get(), &status) != 0) return fail_errno(path);
  return status;
}

}  // namespace peregrine
