#include "failure/fail_call/short_count.h"

#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <string>

#include "base/fd.h"
#include "base/types.h"
#include "failure/fail_call/call_table.h"
#include "failure/fail_call/tracee.h"

namespace peregrine::failure {
namespace {

// The first buffer of the call.
struct Buffer {
  u64 address = 0;
  std::size_t size = 0;
};

Buffer first_buffer(const Call& call, const seccomp_notif& notice) {
  Buffer buffer{notice.data.args[1], notice.data.args[2]};
  if (call.number != SYS_readv && call.number != SYS_writev) return buffer;
  iovec piece = {};
  const std::string bytes = read_memory(static_cast<pid_t>(notice.pid), notice.data.args[1], sizeof piece);
  if (bytes.size() == sizeof piece) std::memcpy(&piece, bytes.data(), sizeof piece);
  return {reinterpret_cast<u64>(piece.iov_base), piece.iov_len};
}

}  // namespace

bool is_control_file(int fd) {
  struct statfs system = {};
  if (::fstatfs(fd, &system) != 0) return false;
  constexpr decltype(system.f_type) kControl[] = {PROC_SUPER_MAGIC, SYSFS_MAGIC, TRACEFS_MAGIC, DEBUGFS_MAGIC,
                                                  CGROUP2_SUPER_MAGIC};
  return std::ranges::find(kControl, system.f_type) != std::end(kControl);
}

bool may_be_short(const Call& call, const seccomp_notif& notice) {
  constexpr int kCanBeCut[] = {SYS_read, SYS_pread64, SYS_readv, SYS_write, SYS_pwrite64, SYS_writev};
  if (std::ranges::find(kCanBeCut, call.number) == std::end(kCanBeCut)) return false;
  const std::size_t size = first_buffer(call, notice).size;
  const Fd file = copy_descriptor(static_cast<pid_t>(notice.pid), static_cast<int>(notice.data.args[0]));
  struct stat status = {};
  if (size < 2 || !file || ::fstat(file.get(), &status) != 0) return false;
  const bool writes = call.call_class == CallClass::Write;
  if (S_ISREG(status.st_mode)) return !writes || !is_control_file(file.get());
  constexpr std::size_t kShortestCutRead = 16;  // data written in one piece is read in one piece
  return (S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode)) && size >= (writes ? PIPE_BUF + 1 : kShortestCutRead);
}

long do_half(const Call& call, const seccomp_notif& notice) {
  const auto thread = static_cast<pid_t>(notice.pid);
  const Buffer buffer = first_buffer(call, notice);
  constexpr std::size_t kMost = std::size_t{1} << 24;
  const std::size_t half = std::clamp<std::size_t>(buffer.size / 2, 1, kMost);
  const Fd file = copy_descriptor(thread, static_cast<int>(notice.data.args[0]));
  const auto offset = static_cast<off_t>(notice.data.args[3]);
  if (call.call_class == CallClass::Write) {
    const std::string bytes = read_memory(thread, buffer.address, half);
    const ssize_t count = call.number == SYS_pwrite64 ? ::pwrite(file.get(), bytes.data(), bytes.size(), offset)
                                                      : ::write(file.get(), bytes.data(), bytes.size());
    return count < 0 ? -errno : count;
  }
  std::string bytes(half, 0);
  const ssize_t count = call.number == SYS_pread64 ? ::pread(file.get(), bytes.data(), half, offset)
                                                   : ::read(file.get(), bytes.data(), half);
  if (count < 0) return -errno;
  bytes.resize(static_cast<std::size_t>(count));
  return write_memory(thread, buffer.address, bytes) ? count : -EFAULT;
}

}  // namespace peregrine::failure
