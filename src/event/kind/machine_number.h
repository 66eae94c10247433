// Numbers that describe the machine or the run and that no counter counts: of metrics (#num_cores) and of events
// (tool/num_cores/).
#pragma once
#include <optional>
#include <span>
#include <string_view>

#include "event/source.h"
#include "sys/hardware/cpu.h"

namespace peregrine {

// What is counted, for the numbers that depend on it.
struct CountedCpus {
  bool system_wide = false;
  CpuList chosen;  // -C; empty: all
};

struct MachineNumber {
  std::string_view name;
  std::string_view description;
};
std::span<const MachineNumber> machine_numbers();  // by name

// The number of that name, in any case. Empty: there is none of that name, or this machine does not say.
std::optional<double> machine_number(EventSources& sources, const CountedCpus& counted, std::string_view name);

}  // namespace peregrine
