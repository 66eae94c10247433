// EventMatrix: the open descriptors of every event of a list, on every CPU and for every thread of a target.
//
// open() walks the ladder when the kernel refuses: newer attr fields go first (KernelFeatures), then fall_back,
// then RLIMIT_NOFILE is raised; specs are changed to what was opened in the end. Cells are ordered CPU by CPU, thread
// by thread. A thread that ended meanwhile has no descriptor in its cells. One thread.
#pragma once
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "capture/perf_event/cgroup_clock.h"
#include "capture/target/target.h"
#include "event/spec.h"
#include "sys/process/limit.h"

namespace peregrine {

// perf_event_open(2) with PERF_FLAG_FD_CLOEXEC. Returns the descriptor or -errno.
int open_event(const abi::EventAttr& attr, Pid pid, int cpu, int group_fd, unsigned long flags = 0);

// One perf_event_open(2) as it was asked for and answered. The attr lives as long as the call it is handed to.
struct OpenAttempt {
  const abi::EventAttr& attr;
  Pid pid = -1;
  int cpu = -1;
  int group_fd = -1;
  unsigned long flags = 0;
  int result = -1;                    // the descriptor or -errno
  bool again = false;                 // the same attr as in the attempt before, for another cell
  bool asked = true;                  // false: not even tried, since the group's leader was refused
  std::size_t event = 0, leader = 0;  // places in the list
};
using OnOpen = std::function<void(const OpenAttempt&)>;

// Which parts of an attr the running kernel knows; each is given up when EINVAL leaves no other reason.
class KernelFeatures {
 public:
  // Clears the given-up parts in `attr`.
  void apply(abi::EventAttr& attr) const;
  // Gives up the newest part that `attr` uses. False when there is none left.
  bool give_up_next(const abi::EventAttr& attr);

 private:
  bool is_gone(u32 row, const abi::EventAttr& attr) const;

  u32 gone_ = 0;                     // bit per row of the table in event_matrix.cc
  std::vector<u32> without_guests_;  // types of PMUs
};

struct Cell {
  int cpu = -1;
  Pid thread = -1;
  Fd fd;
};

struct OpenEvent {
  std::vector<Cell> cells;
  int error = 0;  // errno when the kernel does not support it (see OpenPolicy::skip_unsupported); no cells then
  bool supported() const { return error == 0; }
};

struct OpenPolicy {
  CpuList cpus;                   // the CPU axis: {-1} for any
  std::vector<Pid> threads;       // the thread axis: {-1} for all
  bool skip_unsupported = false;  // stat: an event the kernel does not have is noted and left out
  PerfLimits limits;
  OnOpen on_open = {};               // told of every attempt, refused ones too
  std::vector<bool> elsewhere = {};  // one per event, or none at all: counted by other means, not opened
};

class EventMatrix {
 public:
  // Changes `events` to what was opened. Warnings to show once are appended. Errors: as explain_open_failure.
  static Result<EventMatrix> open(EventList& events, const OpenPolicy& policy, std::vector<std::string>& warnings);

  std::span<const OpenEvent> events() const { return events_; }
  const OpenEvent& at(std::size_t index) const { return events_[index]; }
  // The descriptor of (event, CPU, thread), or -1. `guess`: where among the cells it probably is.
  int find(std::size_t event, int cpu, Pid thread, std::size_t guess = 0) const;

  // Each applies to all events, or to all leaders of groups where the kernel wants it so. `immediate` events too.
  Result<> enable();
  Result<> disable();
  // One event, as a member of its group.
  Result<> set_enabled(std::size_t event, bool on);
  // PERF_EVENT_IOC_SET_FILTER for each tracepoint with a filter. The error names the event and the filter.
  Result<> set_filters(const EventList& events);

  std::size_t open_count() const;
  // All that is open, to be closed elsewhere; nothing is open afterwards.
  std::vector<Fd> take_descriptors();

 private:
  friend class MatrixOpener;
  std::vector<OpenEvent> events_;
  std::vector<std::size_t> leaders_;
  CgroupClock cgroup_clock_;
};

// PERF_EVENT_IOC_ID: the id that samples of this descriptor carry; 0 when the kernel cannot say.
u64 event_id(int fd);

}  // namespace peregrine
