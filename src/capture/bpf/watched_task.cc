#include "capture/bpf/watched_task.h"

#include <bpf/bpf.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

#include "base/fd.h"

namespace peregrine {

namespace {
constexpr unsigned kPidfdThread = O_EXCL;  // PIDFD_THREAD, Linux 6.9; the headers may be older
}

Result<> mark_task(int map, Pid thread, const void* mark) {
  int opened = static_cast<int>(::syscall(SYS_pidfd_open, thread, 0));
  if (opened < 0 && errno != ESRCH) opened = static_cast<int>(::syscall(SYS_pidfd_open, thread, kPidfdThread));
  if (opened < 0 && errno == ESRCH) return {};
  if (opened < 0) return fail_errno("cannot watch a thread");
  const Fd task(opened);
  const int key = task.get();
  const int error = bpf_map_update_elem(map, &key, mark, BPF_ANY);
  if (error < 0 && error != -ESRCH && error != -ENOENT) return fail_errno("cannot watch a thread", -error);
  return {};
}

}  // namespace peregrine
