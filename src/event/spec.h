// EventSpec: one event the user asked for, as linux-perf would name it and ask the kernel for it.
//
// Fed by parse.h (words) and record_config.h / stat_config.h (what a command adds); read by capture (open) and data
// (EVENT_DESC, names). An EventList is in the order of the command line; group members follow their leader at once.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "abi/attr.h"
#include "base/types.h"
#include "sys/hardware/pmu.h"

namespace peregrine {

// Events that are no perf_event: measured by the tool itself (stat only). Sensor: a number that chips or drivers say,
// read when counters are read. Machine: a number of event/kind/machine_number.h. RetireLatency: cycles, sampled while
// the others count.
enum class ToolEvent { None, DurationTime, UserTime, SystemTime, Sensor, Machine, RetireLatency };

// Terms between slashes that change how an event is recorded and not what it counts ("cpu/cycles,period=1000/").
struct EventTerms {
  std::optional<u64> period;
  std::optional<u64> freq;
  std::optional<bool> time;
  std::optional<std::string> callgraph;  // "fp", "dwarf", "lbr", "no"
  std::optional<u64> stack_size;         // bytes of user stack for dwarf
  std::optional<bool> inherit;
  std::optional<u64> max_stack;   // frames
  std::optional<u64> max_events;  // stop after that many
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
  std::string name;  // as every output prints it: "cycles:u", "sched:sched_switch", "cpu/event=0x3c/"
  abi::EventAttr attr;

  // Grouping: index of the leader in the EventList (its own index when alone), the group's name when given
  // ("name:{…}").
  std::size_t leader = 0;
  std::size_t group_size = 1;  // members including the leader; only meaningful on the leader
  std::string group_name;

  // Modifiers that are not attr bits.
  bool precise_max = false;           // P: try precise_ip 3 first, then less
  unsigned precise_wanted = 0;        // precise_ip before fall_back() lowered it
  bool sample_read = false;           // S
  bool weak_group = false;            // W: break the group up when the kernel refuses it
  bool bpf_counter = false;           // b
  bool retire_latency = false;        // R: samples say how long the instruction took to retire
  bool exclude_guest_chosen = false;  // G or H was written

  EventTerms terms;
  std::optional<std::string> filter;  // of a tracepoint, of addresses (both applied by ioctl), or of samples
  bool filters_addresses = false;
  std::string cgroup;              // folder of the control group it is bound to, "" for none
  std::string cgroup_name;         // the same below the mount, as it was asked for
  std::string system, tracepoint;  // set for tracepoints
  std::string symbol;              // of a breakpoint that was asked for by name, "counter+8"; see needs_program()
  ToolEvent tool = ToolEvent::None;
  // ToolEvent::Sensor: the file, "/sys/class/hwmon/hwmon0/temp1_input"; of a graphics driver (pmu "drm_i915") the key,
  // "drm-engine-render".
  std::string sensor;         // Machine: the number's name
  std::optional<u64> number;  // Machine: set once it is known what is counted; empty where this machine does not say
  std::string decoded;        // what a raw code is called on this processor: "br_inst_retired.near_call" of r2c4

  // The generic event that a core's own one counts ("cycles" as armv8_cortex_a53/cpu_cycles/): metrics know it by this.
  struct Generic {
    u32 type = 0;
    u64 config = 0;
  };
  std::optional<Generic> stands_for;

  // From the PMU that supplies the event.
  std::string pmu;                           // "" for the generic types
  std::optional<std::vector<int>> own_cpus;  // open on these only
  bool system_wide = false;                  // uncore: pid -1 whatever the target
  bool auto_merge = false;                   // stat: one line for all PMUs of this kind
  double scale = 1.0;
  std::string unit;
  bool per_package = false;
  bool snapshot = false;
  std::optional<RetireLatency> usual_latency;  // of modifier R, shown where none is sampled

  // Side-band duties, set by record_config.
  bool tracking = false;   // mmap, comm, task records come with this event
  bool immediate = false;  // enabled at open and not with the others

  bool is_dummy() const {
    return attr.type == static_cast<u32>(abi::EventType::Software) &&
           attr.config == static_cast<u64>(abi::SoftwareEvent::Dummy);
  }
  // The kernel has no such symbol: a program must have it, and nobody has looked there yet.
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

// Makes all events one group led by the first (`record --group`, `stat --group`).
void join_group(EventList& list);
// Drops the group of `leader` so that each member stands alone (a weak group the kernel refused).
void break_group(EventList& list, std::size_t leader);

}  // namespace peregrine
