// Numbers that describe the machine or the run without counting: for metrics (#num_cores) and events (tool/num_cores/).
#pragma once
#include <optional>
#include <span>
#include <string_view>

#include "event/source.h"
#include "sys/hardware/cpu.h"

namespace peregrine {

// What is counted, because some numbers depend on it.
struct CountedCpus {
  bool system_wide = false;
  CpuList chosen;  // -C; empty: all
};

struct MachineNumber {
  std::string_view name;
  std::string_view description;
};
std::span<const MachineNumber> machine_numbers();  // by name

// Case-insensitive. Empty if the name is unknown or this machine does not provide the number.
std::optional<double> machine_number(EventSources& sources, const CountedCpus& counted, std::string_view name);

}  // namespace peregrine
