// EventMatrix: the open descriptors of all events in a list, for each CPU and thread of a target.
//
// When the kernel refuses an event, open() first drops newer attr fields (KernelFeatures), then tries fall_back, then
// raises RLIMIT_NOFILE; specs are changed to what was finally opened. Cells are ordered by CPU, then thread. Threads
// that have ended have no descriptor in their cells. One thread.
#pragma once
#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "abi/attr.h"
#include "base/fd.h"
#include "base/result.h"
#include "base/types.h"
#include "capture/perf_event/cgroup_clock.h"
#include "event/spec.h"
#include "sys/hardware/cpu.h"
#include "sys/process/limit.h"
#include "sys/process/process.h"

namespace peregrine {

// perf_event_open(2) with PERF_FLAG_FD_CLOEXEC. Returns the descriptor or -errno.
int open_event(const abi::EventAttr& attr, Pid pid, int cpu, int group_fd, unsigned long flags = 0);

// One perf_event_open(2) and its result. `attr` is valid only during the callback.
struct OpenAttempt {
  const abi::EventAttr& attr;
  Pid pid = -1;
  int cpu = -1;
  int group_fd = -1;
  unsigned long flags = 0;
  int result = -1;                    // the descriptor or -errno
  bool again = false;                 // same attr as in the previous attempt, for another cell
  bool asked = true;                  // false: not tried, since the group's leader was refused
  std::size_t event = 0, leader = 0;  // indices in the list
};
using OnOpen = std::function<void(const OpenAttempt&)>;

struct Cell {
  int cpu = -1;
  Pid thread = -1;
  Fd fd;
};

struct OpenEvent {
  std::vector<Cell> cells;
  int error = 0;  // errno if the kernel does not support it (see OpenPolicy::skip_unsupported); then there are no cells
  bool supported() const { return error == 0; }
};

struct OpenPolicy {
  CpuList cpus;                   // the CPU axis: {-1} for any
  std::vector<Pid> threads;       // the thread axis: {-1} for all
  bool skip_unsupported = false;  // stat: keeps but skips unsupported events
  PerfLimits limits;
  OnOpen on_open = {};               // called for every attempt, including failed ones
  std::vector<bool> elsewhere = {};  // one per event, or empty: counted by other means, so not opened
};

class EventMatrix {
 public:
  // Changes `events` to what was opened; appends warnings to show once. Errors: see explain_open_failure.
  static Result<EventMatrix> open(EventList& events, const OpenPolicy& policy, std::vector<std::string>& warnings);

  std::span<const OpenEvent> events() const { return events_; }
  const OpenEvent& at(std::size_t index) const { return events_[index]; }
  // The descriptor of (event, CPU, thread), or -1. `guess`: the likely index of the cell.
  int find(std::size_t event, int cpu, Pid thread, std::size_t guess = 0) const;

  // Apply to all events, or to group leaders where the kernel requires it; include `immediate` events.
  Result<> enable();
  Result<> disable();
  // A single event, even inside a group.
  Result<> set_enabled(std::size_t event, bool on);
  // PERF_EVENT_IOC_SET_FILTER for each tracepoint with a filter. Errors name the event and the filter.
  Result<> set_filters(const EventList& events);

  std::size_t open_count() const;
  // Releases all descriptors, to be closed elsewhere; nothing is open afterwards.
  std::vector<Fd> take_descriptors();

 private:
  friend class MatrixOpener;
  Result<> set_leaders_enabled(bool on);

  std::vector<OpenEvent> events_;
  std::vector<std::size_t> leaders_;
  CgroupClock cgroup_clock_;
};

// PERF_EVENT_IOC_ID: the id in samples of this descriptor; 0 if the kernel cannot tell.
u64 event_id(int fd);

}  // namespace peregrine
