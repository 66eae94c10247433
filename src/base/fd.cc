#include "base/fd.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <expected>
#include <string_view>

#include "base/process_root.h"

namespace peregrine {

namespace {

// Does not zero the new bytes, because read(2) overwrites them.
void grow(std::string& text, std::size_t size) {
  text.resize_and_overwrite(size, [&](char*, std::size_t) { return size; });
}

}  // namespace

void Fd::reset() {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
}

Result<Fd> open_file(const std::string& path, int flags, unsigned mode) {
  if ((flags & O_CREAT) == 0) {
    if (const auto inside = split_process_path(path)) return open_in_root(inside->root, inside->below, flags);
  }
  int fd = -1;
  do {
    fd = ::open(path.c_str(), flags | O_CLOEXEC, mode);
  } while (fd < 0 && errno == EINTR);
  if (fd < 0 && errno == EACCES && path.starts_with("/proc/") && (flags & (O_ACCMODE | O_CREAT)) == O_RDONLY)
    return ask_for_process_file(path, flags);
  if (fd < 0) return fail_errno(path);
  return Fd(fd);
}

Result<std::string> read_all(int fd, std::string_view what, std::size_t limit) {
  std::string text;
  std::size_t used = 0;
  // The file size is only a guess: kernel files report 0, and other files may grow.
  struct stat status = {};
  if (::fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0)
    grow(text, std::min(static_cast<std::size_t>(status.st_size), limit) + 1);
  for (;;) {
    if (used == text.size()) grow(text, std::max<std::size_t>(131072, text.size() * 2));
    const ssize_t count = ::read(fd, text.data() + used, text.size() - used);
    if (count < 0) {
      if (errno == EINTR) continue;
      return fail_errno(what);
    }
    if (count == 0) break;
    used += static_cast<std::size_t>(count);
    if (used > limit) return fail(ErrorKind::Malformed, "{}: larger than {} bytes", what, limit);
  }
  text.resize(used);
  return text;
}

Result<std::string> read_file(const std::string& path, std::size_t limit) {
  auto fd = open_file(path, O_RDONLY);
  if (!fd) return std::unexpected(std::move(fd.error()));
  return read_all(fd->get(), path, limit);
}

Result<> write_all(int fd, const void* bytes, std::size_t size) {
  const char* next = static_cast<const char*>(bytes);
  while (size > 0) {
    const ssize_t count = ::write(fd, next, size);
    if (count == 0) return fail_errno("write", EIO);  // trying again might never end
    if (count < 0) {
      if (errno == EINTR) continue;
      return fail_errno("write");
    }
    next += count;
    size -= static_cast<std::size_t>(count);
  }
  return {};
}

Result<> pwrite_all(int fd, const void* bytes, std::size_t size, u64 offset, std::string_view what) {
  const char* next = static_cast<const char*>(bytes);
  while (size > 0) {
    const ssize_t count = ::pwrite(fd, next, size, static_cast<off_t>(offset));
    if (count == 0) return fail_errno(what, EIO);  // likewise
    if (count < 0) {
      if (errno == EINTR) continue;
      return fail_errno(what);
    }
    next += count;
    size -= static_cast<std::size_t>(count);
    offset += static_cast<u64>(count);
  }
  return {};
}

Result<std::size_t> pread_full(int fd, void* bytes, std::size_t size, u64 offset) {
  char* next = static_cast<char*>(bytes);
  std::size_t done = 0;
  while (done < size) {
    const ssize_t count = ::pread(fd, next + done, size - done, static_cast<off_t>(offset + done));
    if (count < 0) {
      if (errno == EINTR) continue;
      return fail_errno("read");
    }
    if (count == 0) break;
    done += static_cast<std::size_t>(count);
  }
  return done;
}

Result<std::size_t> read_full(int fd, void* bytes, std::size_t size) {
  char* next = static_cast<char*>(bytes);
  std::size_t done = 0;
  while (done < size) {
    const ssize_t count = ::read(fd, next + done, size - done);
    if (count < 0) {
      if (errno == EINTR) continue;
      return fail_errno("read");
    }
    if (count == 0) break;
    done += static_cast<std::size_t>(count);
  }
  return done;
}

}  // namespace peregrine
