// EventSpec: one requested event: its linux-perf name and its attr.
//
// Built by parse.h (from text) and record_config.h / stat_config.h (a command's settings); read by capture (open) and
// data (EVENT_DESC, names). An EventList is in command-line order; group members directly follow their leader.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "abi/attr.h"
#include "base/types.h"
#include "sys/hardware/pmu.h"

namespace peregrine {

// Events that are not perf_events but measured by the tool (stat only). Sensor: a value from a chip or driver, read
// together with the counters. Machine: a number of event/kind/machine_number.h. RetireLatency: cycles, sampled while
// the others count.
enum class ToolEvent { None, DurationTime, UserTime, SystemTime, Sensor, Machine, RetireLatency };

// Terms that change how an event is recorded, not what it counts ("cpu/cycles,period=1000/").
struct EventTerms {
  std::optional<u64> period;
  std::optional<u64> freq;
  std::optional<bool> time;
  std::optional<std::string> callgraph;  // "fp", "dwarf", "lbr", "no"
  std::optional<u64> stack_size;         // bytes of user stack for dwarf
  std::optional<bool> inherit;
  std::optional<u64> max_stack;   // frames
  std::optional<u64> max_events;  // stop after that many samples
  std::optional<bool> overwrite;
  std::optional<std::string> branch;         // "any,u"
  std::optional<std::string> driver_config;  // "@sink"
  std::optional<bool> percore;
  std::optional<bool> aux_output;
  std::optional<u64> aux_sample_size;
  std::optional<u32> aux_action;        // abi/aux_action.h
  std::optional<double> ratio_to_prev;  // event/syntax/reload_ratio.h
  friend bool operator==(const EventTerms&, const EventTerms&) = default;
};

struct EventSpec {
  std::string name;  // as printed everywhere: "cycles:u", "sched:sched_switch", "cpu/event=0x3c/"
  abi::EventAttr attr;

  // Grouping: index of the leader in the EventList (the event's index if ungrouped), and the group's name if given
  // ("name:{…}").
  std::size_t leader = 0;
  std::size_t group_size = 1;  // members including the leader; only meaningful on the leader
  std::string group_name;

  // Modifiers that are not attr bits.
  bool precise_max = false;           // P: try precise_ip 3 first, then lower
  unsigned precise_wanted = 0;        // precise_ip before fall_back() lowered it
  bool sample_read = false;           // S
  bool weak_group = false;            // W: break up the group if the kernel refuses it
  bool bpf_counter = false;           // b
  bool retire_latency = false;        // R: sample how long the instruction took to retire
  bool exclude_guest_chosen = false;  // G or H was written

  EventTerms terms;
  std::optional<std::string> filter;  // for a tracepoint, for addresses (both set by ioctl), or for samples
  bool filters_addresses = false;
  std::string cgroup;              // folder of its cgroup, "" if none
  std::string cgroup_name;         // its path below the mount, as requested
  std::string system, tracepoint;  // set for tracepoints
  bool from_pattern = false;       // one of the tracepoints that "sched:*" matched: recorded if the kernel allows it
  std::string symbol;              // of a breakpoint requested by name, "counter+8"; see needs_program()
  ToolEvent tool = ToolEvent::None;
  // ToolEvent::Sensor: the file, "/sys/class/hwmon/hwmon0/temp1_input"; for a graphics driver (pmu "drm_i915") the key,
  // "drm-engine-render".
  std::string sensor;         // Machine: the number's name
  std::optional<u64> number;  // Machine: set once the target is known; empty if unavailable
  std::string decoded;        // name of a raw code on this processor: "br_inst_retired.near_call" for r2c4

  // The generic equivalent of a core's event ("cycles" for armv8_cortex_a53/cpu_cycles/), which metrics use.
  struct Generic {
    u32 type = 0;
    u64 config = 0;
  };
  std::optional<Generic> stands_for;

  // Set from the event's PMU.
  std::string pmu;                           // "" for the generic types
  std::optional<std::vector<int>> own_cpus;  // open on these only
  bool system_wide = false;                  // uncore: pid -1 regardless of the target
  bool auto_merge = false;                   // stat: one line for all PMUs of this kind
  double scale = 1.0;
  std::string unit;
  bool per_package = false;
  bool snapshot = false;
  std::optional<RetireLatency> usual_latency;  // for modifier R: shown if none was sampled

  // Side-band, set by record_config.
  bool tracking = false;   // this event carries the mmap, comm and task records
  bool immediate = false;  // enabled when opened, not with the others

  bool is_dummy() const {
    return attr.type == static_cast<u32>(abi::EventType::Software) &&
           attr.config == static_cast<u64>(abi::SoftwareEvent::Dummy);
  }
  // The kernel has no such symbol: it must be in a program, which has not been searched yet.
  bool needs_program() const { return !symbol.empty() && attr.config1 == 0; }
  bool filters_samples() const { return filter && !is_tracepoint() && !filters_addresses; }
  // In ns.
  bool is_tool_time() const {
    return tool == ToolEvent::DurationTime || tool == ToolEvent::UserTime || tool == ToolEvent::SystemTime;
  }
  bool is_tracepoint() const { return attr.type == static_cast<u32>(abi::EventType::Tracepoint); }
};

using EventList = std::vector<EventSpec>;

inline bool is_leader(const EventList& list, std::size_t index) { return list[index].leader == index; }

// Turns all events into one group led by the first (`record --group`, `stat --group`).
void join_group(EventList& list);
// Dissolves the group of `leader` (a weak group the kernel refused).
void break_group(EventList& list, std::size_t leader);

}  // namespace peregrine
