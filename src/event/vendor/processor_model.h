// ProcessorModel: identifies the processor, as needed to select its event names.
//
// From /proc/cpuinfo, or a text like PERF_CPUID: "GenuineIntel-6-55-4", "AuthenticAMD-25-1-1", "0x00000000410fd0c1".
// Pure except for reading that file.
#pragma once
#include <string>
#include <string_view>

#include "base/types.h"
#include "sys/root.h"

namespace peregrine {

struct ProcessorModel {
  std::string vendor;  // "GenuineIntel", "AuthenticAMD", "arm", "" when unknown
  unsigned family = 0, model = 0, stepping = 0;
  u32 midr = 0;  // arm: implementer, part …
};

ProcessorModel processor_model(const Root& root, std::string_view cpuid);

// The tables of event_table.h for this model: the core's, and the prefix of its uncore PMUs ("skx_unc_"). Empty if
// libpfm4 does not know the model.
struct ModelTables {
  std::string_view core, uncore;
};
ModelTables model_tables(const ProcessorModel& model);

}  // namespace peregrine
