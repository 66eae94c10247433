// CgroupClock: keeps the kernel's cgroup clocks running on the CPUs where cgroup events are about to count.
//
// The kernel (seen with 6.18) measures how long a cgroup event was enabled by a clock per cgroup and CPU. While a CPU
// has no enabled cgroup event these clocks stop, and the next event enabled there is charged all the time since: hours,
// which ruins scaled counts. One enabled event per CPU, of any cgroup and counting nothing, starts the clocks
// beforehand. It must stay open until the others are closed. One thread.
#pragma once
#include <utility>
#include <vector>

#include "base/fd.h"

namespace peregrine {

class CgroupClock {
 public:
  // `cgroup`: an open cgroup folder. Call once per CPU; returns 0 or an errno.
  int start(int cgroup, int cpu);

  std::vector<Fd> take_descriptors() { return std::exchange(events_, {}); }

 private:
  std::vector<Fd> events_;  // by CPU; empty where not started
};

}  // namespace peregrine
