#include "capture/background_close.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace peregrine {
namespace {

// Only async-signal-safe calls. Whoever waits for the end of a pipe of ours must not wait for these.
void close_all_but(const std::vector<int>& kept) {
  unsigned next = 0;
  for (const int fd : kept) {
    if (static_cast<unsigned>(fd) > next) ::syscall(SYS_close_range, next, static_cast<unsigned>(fd) - 1, 0);
    next = static_cast<unsigned>(fd) + 1;
  }
  ::syscall(SYS_close_range, next, ~0u, 0);
}

}  // namespace

void close_in_background(std::vector<Fd> descriptors) {
  std::erase_if(descriptors, [](const Fd& fd) { return !fd; });
  int ends[2];  // the child's own closing must be the last: it waits for ours
  if (descriptors.empty() || ::pipe2(ends, O_CLOEXEC) != 0) return;
  const Fd wait_end(ends[0]);
  Fd go_end(ends[1]);
  std::vector<int> kept{wait_end.get()};
  for (const Fd& fd : descriptors) kept.push_back(fd.get());
  std::ranges::sort(kept);
  const pid_t child = ::fork();
  if (child == 0) {
    close_all_but(kept);
    ::setsid();
    // A second fork leaves no child behind that somebody must wait for.
    char end = 0;
    if (::fork() == 0 && ::read(wait_end.get(), &end, 1) >= 0) ::_exit(0);
    ::_exit(0);
  }
  int status = 0;
  while (child > 0 && ::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  descriptors.clear();
}

}  // namespace peregrine
