// Watcher: the user-space half of watch.bpf.h: the counter table, the marked threads, and their clock.
//
// Call prepare() before loading the skeleton, start() after, then attach the program's own links, then arm(). The clock
// is one perf_event (dummy) on the same target: it measures how long each cell was enabled, and its context in a task
// tells the programs that the task is alive. Skeletons must include watch.bpf.h.
#pragma once
#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <vector>

#include "abi/attr.h"
#include "base/fd.h"
#include "base/result.h"
#include "base/types.h"
#include "capture/bpf/counter_table.h"
#include "capture/perf_event/event_matrix.h"
#include "capture/target/target.h"
#include "sys/process/limit.h"

namespace peregrine {

// bpf_raw_tracepoint_open(2). `tracepoint`: null if the program names its own.
Result<Fd> link_program(int program, const char* tracepoint);

class Watcher {
 public:
  // A unit of counting: a CPU, or a target thread with its descendants.
  struct Place {
    const Cell& cell;
    u64 enabled = 0, running = 0;         // ns
    std::size_t first_row = 0, step = 0;  // its rows of counters, step apart, to the end of the table
  };

  // `stride`: counters per row. Errors: Unsupported, too many counters.
  template <class Skeleton>
  Result<> prepare(Skeleton& skeleton, const Target& target, std::size_t stride) {
    libbpf_set_print(nullptr);
    by_thread_ = target.kind != TargetKind::Cpus;
    threads_ = by_thread_ ? target.threads.size() : 1;
    stride_ = (stride + kLine - 1) / kLine * kLine;
    cpus_ = static_cast<std::size_t>(std::max(libbpf_num_possible_cpus(), 1));
    if (cpus_ * threads_ * stride_ > kMostCounters)
      return fail(ErrorKind::Unsupported, "{} threads on {} CPUs would need too many counters", threads_, cpus_);
    skeleton.rodata->stride = static_cast<u32>(stride_);
    skeleton.rodata->threads = static_cast<u32>(threads_);
    skeleton.rodata->by_thread = by_thread_ ? 1 : 0;
    bpf_map__set_max_entries(skeleton.maps.counts, static_cast<u32>(cpus_ * threads_ * stride_));
    bpf_program__set_autoload(skeleton.progs.watch_child, by_thread_);
    bpf_program__set_autoload(skeleton.progs.start_at_exec, by_thread_);
    return {};
  }

  // `attr` of one of the counted events: whether to follow children, whether to start at exec.
  template <class Skeleton>
  Result<> start(Skeleton& skeleton, const abi::EventAttr& attr, const Target& target, const PerfLimits& limits) {
    PEREGRINE_TRY(open_table(bpf_map__fd(skeleton.maps.counts)));
    PEREGRINE_TRY(open_clock(attr, target, limits));
    at_exec_ = attr.has(abi::attr_flag::EnableOnExec);
    disabled_ = attr.has(abi::attr_flag::Disabled);
    if (!by_thread_) return {};
    PEREGRINE_TRY(mark_target(bpf_map__fd(skeleton.maps.watched)));
    if (attr.has(abi::attr_flag::Inherit)) PEREGRINE_TRY(link(bpf_program__fd(skeleton.progs.watch_child)));
    if (at_exec_) PEREGRINE_TRY(link(bpf_program__fd(skeleton.progs.start_at_exec)));
    return {};
  }

  template <class Skeleton>
  void arm(Skeleton& skeleton) const {
    skeleton.bss->at_exec = at_exec_ ? 1 : 0;
    skeleton.bss->running = at_exec_ || !disabled_ ? 1 : 0;
  }

  template <class Skeleton>
  Result<> enable(Skeleton& skeleton) {
    skeleton.bss->at_exec = 0;
    skeleton.bss->running = 1;
    return clock_.enable();
  }

  template <class Skeleton>
  Result<> disable(Skeleton& skeleton) {
    skeleton.bss->running = 0;
    return clock_.disable();
  }

  void for_each_place(const std::function<void(const Place&)>& use) const;
  // Sums one counter over the rows of a place.
  u64 sum(const Place& place, std::size_t counter) const;

  Result<> link(int program, const char* tracepoint = nullptr);
  std::vector<Fd>& links() { return links_; }

 private:
  static constexpr std::size_t kMostCounters = std::size_t{8} << 20;  // 64 MB
  static constexpr std::size_t kLine = 8;                             // counters per cache line

  Result<> open_table(int map);
  Result<> open_clock(const abi::EventAttr& attr, const Target& target, const PerfLimits& limits);
  Result<> mark_target(int map) const;

  CounterTable table_;
  EventMatrix clock_;  // one event; a cell per CPU or thread
  std::vector<Fd> links_;
  std::size_t threads_ = 1, stride_ = 1, cpus_ = 1;
  bool by_thread_ = false, at_exec_ = false, disabled_ = false;
};

}  // namespace peregrine
