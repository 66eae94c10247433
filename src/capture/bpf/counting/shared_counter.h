// SharedCounter: counts one event for a target by reading one counter per CPU at each switch of tasks, so that any
// number of sessions share a hardware counter (stat --bpf-counters).
//
//   counter of the CPU ─▶ account(), at sched_switch ─▶ sums[CPU][target thread]{counted, enabled, running} ─▶ read()
//
// Whom it counts for is watcher.h, where the counters are is cpu_event.h. One thread.
#pragma once
#include <memory>
#include <vector>

#include "capture/bpf/counting/cpu_event.h"
#include "capture/target/target.h"
#include "sys/process/limit.h"

struct shared_count;  // the skeleton that bpftool writes

namespace peregrine {

struct CounterReading;
class Watcher;

class SharedCounter {
 public:
  // `event`: one that counts on all `online` CPUs. Errors: why there can be no BPF counting.
  static Result<SharedCounter> open(const EventSpec& spec, CpuEvent event, const Target& target, const CpuList& online,
                                    const PerfLimits& limits);
  SharedCounter(SharedCounter&&) noexcept;
  SharedCounter& operator=(SharedCounter&&) noexcept;
  ~SharedCounter();

  Result<> enable();
  Result<> disable();
  // Adds a reading per CPU or thread of the target.
  void read(std::size_t event, std::vector<CounterReading>& readings) const;

 private:
  struct Destroy {
    void operator()(shared_count* skeleton) const;
  };
  explicit SharedCounter(CpuEvent event);
  // Brings the sums up to now.
  void account_everywhere() const;

  CpuEvent event_;
  std::unique_ptr<shared_count, Destroy> skeleton_;
  std::unique_ptr<Watcher> watcher_;
  CpuList online_;
};

}  // namespace peregrine
