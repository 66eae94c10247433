// NamedEvents: what the events of this processor model are called, by its vendor and linux-perf
// ("br_inst_retired.near_call"), and by libpfm4 ("BR_INST_RETIRED:NEAR_CALL").
//
// From the user's own files (event_file.h), tables of names here (name_table.h) and libpfm4's tables compiled in
// (event_table.h); the first that has a name wins. Made once per command, when a name is met that no generic event and
// no PMU of /sys has. Immutable afterwards.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "event/vendor/processor_model.h"
#include "sys/hardware/pmu.h"

namespace peregrine {

struct NamedEvent {
  PmuEvent event;     // name, terms, unit, scale: as if it stood in the PMU's events/ folder
  std::string other;  // libpfm4's spelling, or ""
  std::string pmu;    // "" the core's; else the PMU without instance number: "uncore_imc", "amd_l3"
  std::string description, long_description;
  std::string topic;  // a heading of `list`: "cache", or ""
  bool deprecated = false;
  u64 config = 0, extra = 0;  // of libpfm4's: what the terms say, as the registers have it
};

class NamedEvents {
 public:
  NamedEvents(const ProcessorModel& model, std::span<const std::string> files);

  // By either spelling; letters of either case are equal, and so are '.' and '_' behind the first '.'. nullptr when
  // there is none for that PMU.
  const NamedEvent* find(const Pmu& pmu, std::string_view name) const;
  // All of that name, whatever the PMU.
  std::vector<const NamedEvent*> find(std::string_view name) const;
  // The core's event with that value of config, and nothing more than event and unit mask; nullptr when none has it.
  const NamedEvent* find_code(u64 config) const;

  // Sorted by PMU and name.
  std::span<const NamedEvent> all() const { return events_; }
  const ProcessorModel& model() const { return model_; }
  // What is wrong in the user's files, a line each.
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

// True when events of `wanted` ("" is the core, "uncore_imc") count on this PMU.
bool counts_on(const Pmu& pmu, std::string_view wanted);

// "imc" and "uncore_imc" for uncore_imc, uncore_imc_0 …: the PMU, or an instance of it.
bool is_pmu_instance(std::string_view pmu, std::string_view wanted);

}  // namespace peregrine
