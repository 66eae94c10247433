// NamedEvents: the event names of this processor model, both those of its vendor and linux-perf
// ("br_inst_retired.near_call") and libpfm4's ("BR_INST_RETIRED:NEAR_CALL").
//
// Sources, the first match wins: the user's files (event_file.h), our name tables (name_table.h), libpfm4's compiled
// tables (event_table.h). Built once per command, when a name is neither a generic event nor a PMU's in /sys. Immutable
// afterwards.
#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/types.h"
#include "event/vendor/processor_model.h"
#include "sys/hardware/pmu.h"

namespace peregrine {

struct NamedEvent {
  PmuEvent event;     // name, terms, unit, scale: as if from the PMU's events/ folder
  std::string other;  // libpfm4's spelling, or ""
  std::string pmu;    // "" for the core's; else the PMU without instance number: "uncore_imc", "amd_l3"
  std::string description, long_description;
  std::string topic;  // a heading of `list`: "cache", or ""
  bool deprecated = false;
  u64 config = 0, extra = 0;  // from libpfm4: the terms as register values
};

class NamedEvents {
 public:
  NamedEvents(const ProcessorModel& model, std::span<const std::string> files);

  // Finds either spelling; case-insensitive, and '.' equals '_' after the first '.'. nullptr if that PMU has none.
  const NamedEvent* find(const Pmu& pmu, std::string_view name) const;
  // All events with that name, for any PMU.
  std::vector<const NamedEvent*> find(std::string_view name) const;
  // The core event with exactly that config (event and unit mask only); nullptr if none.
  const NamedEvent* find_code(u64 config) const;

  // All events, sorted by PMU and name.
  std::span<const NamedEvent> all() const { return events_; }
  const ProcessorModel& model() const { return model_; }
  // Errors in the user's files, one per line.
  std::span<const std::string> problems() const { return problems_; }

 private:
  void add_tables();
  void add_names();
  void add_thresholds();
  void sort();

  ProcessorModel model_;
  std::vector<NamedEvent> events_;
  std::vector<std::pair<std::string, std::size_t>> index_;  // folded spelling → place in events_, sorted
  std::vector<std::string> problems_;
};

// Whether events of `wanted` ("" is the core, "uncore_imc") count on this PMU.
bool counts_on(const Pmu& pmu, std::string_view wanted);

// Whether `pmu` is `wanted` or an instance of it: "imc" and "uncore_imc" match uncore_imc, uncore_imc_0 …
bool is_pmu_instance(std::string_view pmu, std::string_view wanted);

}  // namespace peregrine
