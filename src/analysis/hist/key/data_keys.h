// The sort keys of a data access: its kind, what served it (PERF_SAMPLE_DATA_SRC), and its latency.
#pragma once
#include <string>

#include "abi/sample.h"
#include "analysis/hist/key/sort_key.h"

namespace peregrine {

inline constexpr u64 kNoCgroup = ~u64{0};  // for samples without a cgroup

// The group value for the key; 0 for unrelated keys.
u64 data_value(SortKey key, const abi::Sample& sample);
// The text of a symbolic value: "L1 or L1 hit", "No", "4K".
std::string data_word(SortKey key, u64 value);

}  // namespace peregrine
