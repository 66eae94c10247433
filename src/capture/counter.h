// CounterSet: events that count without sampling, for `stat`: open, enable, read.
//
// Uses BPF programs to count many tracepoints if permitted (TracepointCounter), and to read counters if requested
// (SharedCounter, ProgramCounter); everything else uses perf_event.
//
// Lifecycle: open → (workload starts, or enable) → read, any number of times → disable → read. Values are raw,
// unscaled. An unsupported event keeps its place but yields no readings. A group is read at once through its leader, so
// that its values are consistent. One thread.
#pragma once
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "abi/sample.h"
#include "base/result.h"
#include "base/types.h"
#include "capture/bpf/counting/program_counter.h"
#include "capture/bpf/counting/shared_counter.h"
#include "capture/bpf/counting/tracepoint_counter.h"
#include "capture/bpf/counting/value_counter.h"
#include "capture/perf_event/control_order.h"
#include "capture/perf_event/event_matrix.h"
#include "capture/target/control_channel.h"
#include "capture/target/target.h"
#include "event/spec.h"
#include "event/tracepoint/value_field.h"
#include "sys/hardware/cpu.h"
#include "sys/process/limit.h"
#include "sys/process/process.h"

namespace peregrine {

struct CounterReading {
  std::size_t event = 0;  // index in the list passed to open
  int cpu = -1;           // -1: any CPU
  Pid thread = -1;        // -1: every thread
  u64 value = 0;
  u64 enabled = 0;  // ns
  u64 running = 0;  // ns; below `enabled` if the counter was multiplexed, 0 if it never counted
};

// Counting with BPF programs: one counter per CPU, instead of one per thread that perf_event must switch.
struct BpfCounting {
  bool shared = false;        // --bpf-counters
  std::string registry;       // of shared counters: a path in a BPF file system, "" for none
  std::vector<u32> programs;  // --bpf-prog: ids; count while these programs run
  bool wanted() const { return shared || !programs.empty(); }
};

// How to count tracepoints. Only perf_event can enable and disable single ones.
enum class TracepointMeans { Fastest, PerfEvent };

// The difference to `before`; readings missing there count in full.
std::vector<CounterReading> readings_since(std::span<const CounterReading> now, std::span<const CounterReading> before);

class CounterSet {
 public:
  // Opens {-1} × threads for a workload or -p/-t (inherited by children), CPUs × {-1} for -a/-C. A workload's pid must
  // already be in the target (Workload::start, Target::set_workload); the attrs say whether its exec enables them.
  // Changes `events` to what was opened. Errors: those that no fallback resolves.
  static Result<CounterSet> open(EventList& events, const Target& target, const PerfLimits& limits,
                                 std::vector<std::string>& warnings, OnOpen on_open = {},
                                 TracepointMeans means = TracepointMeans::Fastest, const BpfCounting& bpf = {});

  CounterSet(CounterSet&&) noexcept = default;
  CounterSet& operator=(CounterSet&&) noexcept = default;
  // Does not wait for the kernel to release tracepoints.
  ~CounterSet();

  // Also counts distributions of field values. See ValueCounter::open.
  Result<> open_values(std::span<const ValueField> fields, std::span<const i64> bounds, const Target& target,
                       const PerfLimits& limits);

  Result<> enable();
  Result<> disable();

  // One reading per (event, CPU, thread), in that order. Omits descriptors that fail or return no data, tool events
  // (duration_time …) and unsupported events.
  std::vector<CounterReading> read();
  bool supported(std::size_t event) const { return matrix_.at(event).supported(); }
  int error_of(std::size_t event) const { return matrix_.at(event).error; }
  Result<> set_filters(const EventList& events) { return matrix_.set_filters(events); }
  const EventMatrix& matrix() const { return matrix_; }
  // Executes a --control command; see carry_out().
  Result<std::string> obey(const ControlCommand& command, const EventList& events) {
    return carry_out(command, events, matrix_);
  }

  // For -v: how tracepoints are counted, and what BPF programs count; "" if nothing to report.
  const std::string& means() const { return means_; }
  // Number of tracepoint hits that were not counted.
  u64 missed() const {
    return (tracepoints_ ? tracepoints_->missed() : 0) + (value_counter_ ? value_counter_->missed() : 0);
  }
  // One count per slot of a field passed to open_values.
  std::vector<u64> value_slots(std::size_t field) const { return value_counter_->slots(field); }

 private:
  CounterSet() = default;
  // Chooses how to count tracepoints; the result flags those counted by BPF programs.
  std::vector<bool> open_tracepoints(const EventList& events, const Target& target, const PerfLimits& limits);
  // Flags the events that BPF programs count in `taken`.
  Result<> open_bpf(const EventList& events, const Target& target, const PerfLimits& limits, const BpfCounting& bpf,
                    std::vector<bool>& taken);
  void read_cell(std::size_t event, const Cell& cell, std::vector<std::vector<CounterReading>>& out);

  EventMatrix matrix_;
  std::optional<TracepointCounter> tracepoints_;
  std::optional<ValueCounter> value_counter_;
  template <class Counter>
  struct Counted {
    std::size_t event = 0;
    Counter counter;
  };
  std::vector<Counted<SharedCounter>> shared_;
  std::vector<Counted<ProgramCounter>> in_programs_;
  CpuList cpus_;  // of in_programs_
  std::string means_;
  bool slow_to_close_ = false;
  struct Shape {
    u64 read_format = 0;
    std::vector<std::size_t> members;  // of a group read at once: all its open members, leader first
    bool by_leader = false;            // read through another event
    bool never_waits = false;          // cgroup event that counts whenever it is enabled
  };
  std::vector<Shape> shapes_;
  std::vector<abi::ReadValue> values_;
};

}  // namespace peregrine
