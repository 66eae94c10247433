// PMUs: the event sources of /sys/bus/event_source/devices, with their field layouts, named events, CPUs and
// capabilities.
//
// Read once per command and passed to event/ as values; only the syntax of the files is parsed here.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sys/hardware/cpu.h"
#include "sys/root.h"

namespace peregrine {

// format/NAME: "config1:0-7,21" = where the bits of a term's value go, lowest first.
struct PmuFormat {
  enum class Word { Config, Config1, Config2, Config3 };
  struct Range {
    unsigned first = 0, last = 0;  // bit numbers, inclusive
  };
  std::string name;
  Word word = Word::Config;
  std::vector<Range> ranges;
};

// How many cycles pass from the retirement of the instruction before to that of one with this event.
struct RetireLatency {
  double mean = 0, min = 0, max = 0;
};

// events/NAME: a list of terms, and beside it NAME.scale, NAME.unit, NAME.per-pkg, NAME.snapshot.
struct PmuEvent {
  std::string name;
  std::string terms;  // "event=0x3c,umask=0x1"
  std::string unit;
  double scale = 1.0;
  bool has_scale = false;
  bool per_package = false;
  bool snapshot = false;
  std::optional<RetireLatency> usual_latency;  // as the vendor measured it; only event files have it
};

struct Pmu {
  std::string name;
  u32 type = 0;
  std::vector<PmuFormat> formats;  // sorted by name; those whose text is not understood are left out
  std::vector<PmuEvent> events;    // in the order of the directory
  std::optional<CpuList> cpumask;  // "cpumask" or "cpus": where an event must be opened; nullopt: anywhere
  bool is_uncore = false;          // has a cpumask and is not a core PMU
  bool is_core = false;            // counts for the cores themselves: "cpu", or one with "cpus"
  std::vector<std::pair<std::string, std::string>> caps;  // caps/NAME → text, sorted by name
  const PmuFormat* format(std::string_view name) const;
  const PmuEvent* event(std::string_view name) const;
};

// All PMUs in the order of the directory (the order linux-perf writes into PMU_MAPPINGS).
std::vector<Pmu> read_pmus(const Root& root);
// One of them; nullopt when there is none of that name.
std::optional<Pmu> read_pmu(const Root& root, std::string_view name);
// The names of those that count for the processor's cores, in the same order: "cpu", or one for each kind of core where
// there are several (cpu_core and cpu_atom, armv8_cortex_a53 and armv8_cortex_a72).
std::vector<std::string> core_pmu_names(const Root& root);
// Name and type only: header feature PMU_MAPPINGS. Cheap.
std::vector<std::pair<std::string, u32>> pmu_types(const Root& root);

// "config1:0-7,21" → format. Errors (Malformed).
Result<PmuFormat> parse_pmu_format(std::string_view name, std::string_view text);

}  // namespace peregrine
