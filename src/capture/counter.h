// CounterSet: events that count and do not sample, for `stat`: open, enable, read.
//
// Many tracepoints are counted by BPF programs where that is allowed (TracepointCounter), and counters are read by BPF
// programs where that is asked for (SharedCounter, ProgramCounter); all else by perf_event.
//
// Life: open → (workload starts or enable) → read as often as wanted → disable → read. Values are what the kernel
// gives, unscaled; an event the kernel does not have keeps its place and gives no readings. Groups are read at once by
// their leader, so that members belong together. One thread.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "abi/sample.h"
#include "capture/bpf/counting/program_counter.h"
#include "capture/bpf/counting/shared_counter.h"
#include "capture/bpf/counting/tracepoint_counter.h"
#include "capture/bpf/counting/value_counter.h"
#include "capture/perf_event/control_order.h"
#include "capture/perf_event/event_matrix.h"
#include "capture/target/target.h"

namespace peregrine {

struct CounterReading {
  std::size_t event = 0;  // index in the list given to open
  int cpu = -1;           // -1: any CPU
  Pid thread = -1;        // -1: every thread
  u64 value = 0;
  u64 enabled = 0;  // ns
  u64 running = 0;  // ns, below `enabled` when the counter was multiplexed; 0: never counted
};

// Counters that BPF programs read, one per CPU, instead of one per thread that perf_event switches.
struct BpfCounting {
  bool shared = false;        // --bpf-counters
  std::string registry;       // of counters that sessions share: a path in a BPF file system, "" for none
  std::vector<u32> programs;  // --bpf-prog: ids; counts what happens while they run
  bool wanted() const { return shared || !programs.empty(); }
};

// What tracepoints may be counted with. Single ones can be switched on and off by perf_event only.
enum class TracepointMeans { Fastest, PerfEvent };

// What was counted since `before`; readings that were not there before count in full.
std::vector<CounterReading> readings_since(std::span<const CounterReading> now, std::span<const CounterReading> before);

class CounterSet {
 public:
  // CPUs: {-1} × threads for a workload or -p/-t (inherited by children), CPUs × {-1} for -a/-C. For a workload the
  // target must already know its pid (Workload::start, Target::set_workload); attrs say whether its exec enables them.
  // Changes `events` to what was opened. Errors: what no fallback helps against.
  static Result<CounterSet> open(EventList& events, const Target& target, const PerfLimits& limits,
                                 std::vector<std::string>& warnings, OnOpen on_open = {},
                                 TracepointMeans means = TracepointMeans::Fastest, const BpfCounting& bpf = {});

  CounterSet(CounterSet&&) noexcept = default;
  CounterSet& operator=(CounterSet&&) noexcept = default;
  // Does not wait for the kernel to let go of tracepoints.
  ~CounterSet();

  // Beside the events: how values of fields are distributed. As ValueCounter::open.
  Result<> open_values(std::span<const ValueField> fields, std::span<const i64> bounds, const Target& target,
                       const PerfLimits& limits);

  Result<> enable();
  Result<> disable();

  // One reading per (event, CPU, thread), ordered so. Descriptors whose read fails or is empty are left out.
  // Tool events (duration_time …) and unsupported ones give none.
  std::vector<CounterReading> read();
  bool supported(std::size_t event) const { return matrix_.at(event).supported(); }
  int error_of(std::size_t event) const { return matrix_.at(event).error; }
  Result<> set_filters(const EventList& events) { return matrix_.set_filters(events); }
  const EventMatrix& matrix() const { return matrix_; }
  // As carry_out(): what another program says on --control.
  Result<std::string> obey(const ControlCommand& command, const EventList& events) {
    return carry_out(command, events, matrix_);
  }

  // For -v: how tracepoints are counted, and what BPF programs count; "" when there is nothing to say.
  const std::string& means() const { return means_; }
  // Hits of tracepoints that were not counted.
  u64 missed() const {
    return (tracepoints_ ? tracepoints_->missed() : 0) + (value_counter_ ? value_counter_->missed() : 0);
  }
  // Of a field given to open_values: a count per slot.
  std::vector<u64> value_slots(std::size_t field) const { return value_counter_->slots(field); }

 private:
  CounterSet() = default;
  // Chooses the means for tracepoints; what BPF programs count is marked in the answer.
  std::vector<bool> open_tracepoints(const EventList& events, const Target& target, const PerfLimits& limits);
  // The events that BPF programs count from now on are marked in `taken`.
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
    std::vector<std::size_t> members;  // leader of a group read at once: all its open members, itself first
    bool by_leader = false;            // read through another event
    bool never_waits = false;          // of a control group, and counts whenever it is enabled
  };
  std::vector<Shape> shapes_;
  std::vector<abi::ReadValue> values_;
};

}  // namespace peregrine
