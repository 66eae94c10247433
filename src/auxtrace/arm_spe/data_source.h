// Converts the data source of an SPE record to PERF_SAMPLE_DATA_SRC.
//
// The values of the data source packet are implementation defined: those of Neoverse cores are known (Arm Neoverse N1,
// N2 and V1 Technical Reference Manuals, "Statistical Profiling Extension, data source packet"). For other cores the
// events say at which level the access hit or missed. Pure.
#pragma once
#include <string_view>

#include "auxtrace/arm_spe/record.h"
#include "base/types.h"

namespace peregrine {

// MIDR_EL1 from the header's cpuid ("0x00000000410fd0c0"); 0 if it is not a number.
u64 midr_of(std::string_view cpuid);

// The data source; 0 unless the operation is a load or store.
u64 spe_data_source(const SpeRecord& record, u64 midr);

}  // namespace peregrine
