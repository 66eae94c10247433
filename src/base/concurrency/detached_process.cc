#include "base/concurrency/detached_process.h"

#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

namespace peregrine {

void close_all_but(std::span<const int> kept) {
  for (unsigned next = 0;;) {
    int lowest = -1;  // lowest descriptor to keep that is at least `next`
    for (const int fd : kept)
      if (fd >= 0 && static_cast<unsigned>(fd) >= next && (lowest < 0 || fd < lowest)) lowest = fd;
    if (lowest < 0) {
      ::syscall(SYS_close_range, next, ~0u, 0u);
      return;
    }
    if (static_cast<unsigned>(lowest) > next) ::syscall(SYS_close_range, next, static_cast<unsigned>(lowest) - 1, 0u);
    next = static_cast<unsigned>(lowest) + 1;
  }
}

namespace detached {

Result<Side> split(std::span<const int> kept) {
  const pid_t child = ::fork();
  if (child < 0) return fail_errno("fork");
  if (child == 0) {
    close_all_but(kept);
    ::setsid();
    const pid_t process = ::fork();
    if (process == 0) return Side::Process;
    ::_exit(process < 0 ? errno : 0);
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    // If SIGCHLD is ignored, the kernel discards the exit status.
    if (errno != EINTR) return Side::Caller;
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return Side::Caller;
  return fail_errno("fork", WIFEXITED(status) ? WEXITSTATUS(status) : EAGAIN);
}

void end_process() { ::_exit(0); }

}  // namespace detached

}  // namespace peregrine
