// The sort keys of a data access: what kind it was and who answered it (PERF_SAMPLE_DATA_SRC), how long it took.
#pragma once
#include <string>

#include "abi/sample.h"
#include "analysis/hist/key/sort_key.h"

namespace peregrine {

inline constexpr u64 kNoCgroup = ~u64{0};  // a sample that does not tell its cgroup

// What a group holds for the key; 0 for keys of other things.
u64 data_value(SortKey key, const abi::Sample& sample);
// How values of the keys that are words are shown: "L1 or L1 hit", "No", "4K".
std::string data_word(SortKey key, u64 value);

}  // namespace peregrine
