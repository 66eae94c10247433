// ChartCollector: builds a TimeChart from the scheduler, power and system call tracepoints in a recording.
//
//   sched_switch, sched_wakeup ──▶ spans of tasks, stays on CPUs, wake-ups
//   cpu_idle, cpu_frequency ─────▶ spans of CPUs
//   sys_enter_…, sys_exit_… ─────▶ spans of I/O
//
// A task first seen leaving its CPU counts as running there since the previous switch. Whatever is in progress at the
// end of the recording ends there. Nothing is drawn where a switch was lost. Memory grows by some 40 bytes per event.
#pragma once
#include <bitset>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analysis/chart/io_calls.h"
#include "analysis/chart/time_chart.h"
#include "analysis/field/recorded_tracepoints.h"
#include "analysis/sched/sched_event.h"
#include "base/result.h"
#include "base/types.h"
#include "data/reader/reader.h"
#include "machine/resolver/resolver.h"
#include "pipeline/replay/replay.h"

namespace peregrine {

class ChartCollector : public SchedSink {
 public:
  struct Request {
    IoRequest io;
    unsigned chain_depth = 16;  // for the stacks where tasks left their CPU, if recorded
  };
  ChartCollector(const data::Reader& reader, const Request& request);

  // Fails if the formats are broken or there was nothing to draw.
  Result<> outcome() const override;
  std::bitset<128> records() const override;  // EXIT, FORK
  void side_band(const ReplaySideBand& record, Resolver& resolver, unsigned worker) override;
  void sample(const ReplaySample& sample, Resolver& resolver, unsigned worker) override;
  // Call once, after the replay.
  TimeChart take_chart();

 private:
  struct Ongoing {
    TaskSpan span;  // end not yet set
    bool known = false, ended = false;
  };
  struct Cpu {
    ChartCpu chart;
    std::optional<CpuSpan> stay, idle;  // ends not yet set
    std::optional<FrequencySpan> frequency;
    bool switched = false;
  };
  bool needs(SchedKind kind) const override;
  void happened(const SchedEvent& event, const ReplaySample& sample, Resolver& resolver) override;
  void happened_beside(std::size_t which, const TracepointView& view, const ReplaySample& sample,
                       Resolver& resolver) override;
  void leave(const SchedEvent& event, const ReplaySample& sample, Resolver& resolver);
  void come(const SchedEvent& event);
  void wake(const SchedEvent& event, const ReplaySample& sample, Resolver& resolver);
  void change_idle_state(u32 cpu, u32 state, u64 time);
  void change_frequency(u32 cpu, u64 kilohertz, u64 time);
  // Ends the task's current span and starts `next`.
  void turn_to(u32 index, const TaskSpan& next);
  // If the task is not in the expected state, a switch was lost: drops what it did since the last one.
  void forget_unless(u32 index, bool running);
  void end_stay(Cpu& cpu, u64 time);
  u32 task(u32 tid, std::string_view comm);
  Cpu& cpu(u32 number);
  u32 chain_of(const ReplaySample& sample, Resolver& resolver);

  Request request_;
  TimeChart chart_;
  IoPairs io_;
  std::vector<Ongoing> ongoing_;        // parallel to chart_.tasks
  std::unordered_map<u32, u32> tasks_;  // tid → index
  std::map<u32, Cpu> cpus_;
  std::unordered_map<std::string, u32> chains_;
};

}  // namespace peregrine
