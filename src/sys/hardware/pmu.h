// PMUs: the event sources of /sys/bus/event_source/devices, with their field layouts, named events, CPUs and
// capabilities.
//
// Read once per command and passed to event/ as values; only the syntax of the files is parsed here.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/types.h"
#include "sys/hardware/cpu.h"
#include "sys/root.h"

namespace peregrine {

// format/NAME: "config1:0-7,21" lists the bits that receive a term's value, lowest first.
struct PmuFormat {
  enum class Word { Config, Config1, Config2, Config3 };
  struct Range {
    unsigned first = 0, last = 0;  // bit numbers, inclusive
  };
  std::string name;
  Word word = Word::Config;
  std::vector<Range> ranges;
};

// Number of cycles between the retirement of the previous instruction and of an instruction with this event.
struct RetireLatency {
  double mean = 0, min = 0, max = 0;
};

// events/NAME: a list of terms, together with NAME.scale, NAME.unit, NAME.per-pkg, NAME.snapshot.
struct PmuEvent {
  std::string name;
  std::string terms;  // "event=0x3c,umask=0x1"
  std::string unit;
  double scale = 1.0;
  bool has_scale = false;
  bool per_package = false;
  bool snapshot = false;
  std::optional<RetireLatency> usual_latency;  // measured by the vendor; only in event files
};

struct Pmu {
  std::string name;
  u32 type = 0;
  std::vector<PmuFormat> formats;  // sorted by name; without those that cannot be parsed
  std::vector<PmuEvent> events;    // in directory order
  std::optional<CpuList> cpumask;  // "cpumask" or "cpus": CPUs on which to open an event; nullopt: any
  bool is_uncore = false;          // has a cpumask and is not a core PMU
  bool is_core = false;            // counts for the cores: "cpu", or a PMU with "cpus"
  std::vector<std::pair<std::string, std::string>> caps;  // caps/NAME → text, sorted by name
  const PmuFormat* format(std::string_view name) const;
  const PmuEvent* event(std::string_view name) const;
};

// Returns all PMUs in directory order, which is also linux-perf's order in PMU_MAPPINGS.
std::vector<Pmu> read_pmus(const Root& root);
// Returns the PMU with this name, or nullopt.
std::optional<Pmu> read_pmu(const Root& root, std::string_view name);
// Returns the names of the core PMUs in the same order: "cpu", or one for each kind of core if there are several
// (cpu_core and cpu_atom, armv8_cortex_a53 and armv8_cortex_a72).
std::vector<std::string> core_pmu_names(const Root& root);
// Reads only names and types, for the header feature PMU_MAPPINGS. Cheap.
std::vector<std::pair<std::string, u32>> pmu_types(const Root& root);

// Parses "config1:0-7,21". Errors: Malformed.
Result<PmuFormat> parse_pmu_format(std::string_view name, std::string_view text);

}  // namespace peregrine
