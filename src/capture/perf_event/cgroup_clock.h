// CgroupClock: keeps the kernel's clocks of control groups going on the CPUs where their events are about to count.
//
// The kernel (seen with 6.18) measures how long an event of a control group was enabled by a clock per group and CPU.
// On a CPU without enabled events of groups these clocks stand still, and the first event that is enabled there gets
// all the time since they stopped: hours, and counts that are scaled by them. One enabled event per CPU, of any group
// and counting nothing, starts the clocks before. It has to stay open until the others are closed. One thread.
#pragma once
#include <utility>
#include <vector>

#include "base/fd.h"

namespace peregrine {

class CgroupClock {
 public:
  // `cgroup`: the open folder of a control group. Once per CPU; 0, or why not, as an errno.
  int start(int cgroup, int cpu);

  std::vector<Fd> take_descriptors() { return std::exchange(events_, {}); }

 private:
  std::vector<Fd> events_;  // by CPU; empty where nothing was started
};

}  // namespace peregrine
