// Where the data of a load or store came from, as PERF_SAMPLE_DATA_SRC says it.
//
// The data source packet's values are the processor's own: those of Neoverse cores are known (Arm Neoverse N1, N2 and
// V1 Technical Reference Manuals, "Statistical Profiling Extension, data source packet"). For others the events tell at
// which level the access hit or missed. Pure.
#pragma once
#include <string_view>

#include "auxtrace/arm_spe/record.h"

namespace peregrine {

// MIDR_EL1 of the recording's processor, from the header's cpuid ("0x00000000410fd0c0"); 0 when it is no number.
u64 midr_of(std::string_view cpuid);

// The word; 0 for operations that are neither load nor store.
u64 spe_data_source(const SpeRecord& record, u64 midr);

}  // namespace peregrine
