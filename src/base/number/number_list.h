// Number lists such as "1,3-5": sets of CPUs, processes and threads on command lines and in recordings.
//
// Ranges are expanded, so a few typed or mutated digits could request gigabytes. Numbers are therefore counted before
// the list is allocated. Pure.
#pragma once
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/types.h"

namespace peregrine {

// Enough for every process id of Linux (PID_MAX_LIMIT is 2^22); takes 16 MB.
inline constexpr u64 kLongestNumberList = u64{1} << 22;

// Returns the distinct numbers in ascending order; none for "". Errors (Usage): not a number, a descending range, a
// number above `highest`, more than kLongestNumberList or `highest` + 1 numbers in total, including repeated ones.
Result<std::vector<u32>> parse_number_list(std::string_view text, u32 highest = ~u32{0});

}  // namespace peregrine
