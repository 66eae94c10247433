#include "capture/perf_event/background_close.h"

#include <fcntl.h>
#include <sys/types.h>
#include <unistd.h>

#include "base/concurrency/detached_process.h"

namespace peregrine {

void close_in_background(std::vector<Fd> descriptors) {
  std::erase_if(descriptors, [](const Fd& fd) { return !fd; });
  int ends[2];  // the child waits until we close it, so close it last
  if (descriptors.empty() || ::pipe2(ends, O_CLOEXEC) != 0) return;
  const Fd wait_end(ends[0]);
  Fd go_end(ends[1]);
  std::vector<int> kept{wait_end.get()};
  for (const Fd& fd : descriptors) kept.push_back(fd.get());
  static_cast<void>(start_detached(kept, [&wait_end] {
    char end = 0;
    [[maybe_unused]] const ssize_t got = ::read(wait_end.get(), &end, 1);
  }));
  descriptors.clear();
}

}  // namespace peregrine
