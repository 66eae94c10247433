// TracepointCounter: counts tracepoints by BPF programs, with perf_event's answers: a perf_event descriptor of a
// tracepoint costs 39 ms to close (the kernel waits until no CPU can be inside it), a program's link a fifth of one.
//
//   tracepoint ─▶ copy of count_hit, its number patched in ──┐
//   sys_enter, sys_exit ─▶ two programs, by call number ─────┴▶ counts[CPU][target thread][number] ─▶ read()
//
// Whom it counts for is watcher.h. One thread.
#pragma once
#include <memory>
#include <vector>

#include "capture/perf_event/event_matrix.h"
#include "capture/target/target.h"

struct tracepoint_count;  // the skeleton that bpftool writes

namespace peregrine {

struct CounterReading;
class Watcher;

class TracepointCounter {
 public:
  // Takes from `events` those that it can count as perf_event would, and says so in `taken` (one flag per event): lone
  // tracepoints without filter, exclusions and control group. Errors: why there can be no BPF counting at all; nothing
  // is taken then.
  static Result<TracepointCounter> open(const EventList& events, const Target& target, const PerfLimits& limits,
                                        std::vector<bool>& taken);
  TracepointCounter(TracepointCounter&&) noexcept;
  TracepointCounter& operator=(TracepointCounter&&) noexcept;
  ~TracepointCounter();

  // Whether open() would try an event.
  static bool may_take(const EventList& events, std::size_t index);

  Result<> enable();
  Result<> disable();
  // Adds a reading per (event, CPU or thread) to the event's own list.
  void read(std::vector<std::vector<CounterReading>>& by_event) const;
  // Hits that no program saw: the event happened inside itself on one CPU; children that could not be marked.
  u64 missed() const;
  std::size_t programs() const;
  // All that holds tracepoints open, to be closed elsewhere; the counter is not to be used afterwards.
  std::vector<Fd> take_links();

 private:
  friend class TracepointCounterOpener;
  struct Destroy {
    void operator()(tracepoint_count* skeleton) const;
  };
  TracepointCounter();

  struct Counted {
    std::size_t event = 0;
    u32 number = 0;
  };
  std::unique_ptr<tracepoint_count, Destroy> skeleton_;
  std::unique_ptr<Watcher> watcher_;
  std::vector<Counted> counted_;  // by event
  std::vector<Fd> programs_;
};

}  // namespace peregrine
