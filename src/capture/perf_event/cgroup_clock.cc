#include "capture/perf_event/cgroup_clock.h"

#include <linux/perf_event.h>

#include <cstddef>

#include "abi/attr.h"
#include "base/types.h"
#include "capture/perf_event/event_matrix.h"

namespace peregrine {

int CgroupClock::start(int cgroup, int cpu) {
  if (cpu < 0) return 0;  // the kernel rejects cgroup events without a CPU
  const auto place = static_cast<std::size_t>(cpu);
  if (place >= events_.size()) events_.resize(place + 1);
  if (events_[place]) return 0;
  abi::EventAttr attr;
  attr.type = static_cast<u32>(abi::EventType::Software);
  attr.config = static_cast<u64>(abi::SoftwareEvent::Dummy);
  attr.size = abi::written_size(attr);
  const int opened = open_event(attr, cgroup, cpu, -1, PERF_FLAG_PID_CGROUP);
  if (opened < 0) return -opened;
  events_[place] = Fd(opened);
  return 0;
}

}  // namespace peregrine
