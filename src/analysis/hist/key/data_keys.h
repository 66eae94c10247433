// The values and texts of sort keys about a data access: its kind, what served it (PERF_SAMPLE_DATA_SRC), and its
// transaction.
//
// A key's value holds the bits that the key shows, so that accesses with the same text share a row.
#pragma once
#include <string>

#include "base/types.h"

namespace peregrine {

inline constexpr u64 kNoCgroup = ~u64{0};  // for samples without a cgroup

u64 snoop_bits(u64 data_source);
u64 lock_bits(u64 data_source);
u64 tlb_bits(u64 data_source);
u64 block_bits(u64 data_source);
// Ordered by level, level number, hops and remoteness.
u64 memory_level(u64 data_source);

// For example, in this order: "None", "No", "L1 or L2 hit", "N/A".
std::string snoop_text(u64 bits);
std::string lock_text(u64 bits);
std::string tlb_text(u64 bits);
std::string block_text(u64 bits);
std::string memory_level_text(u64 level);
// The names of a transaction's flags, and its abort code: "TX SYNC :1f".
std::string transaction_text(u64 flags);

}  // namespace peregrine
