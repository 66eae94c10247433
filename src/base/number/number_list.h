// Number lists: "1,3-5", as command lines and recordings write sets of CPUs, processes and threads.
//
// Ranges are expanded, so a few typed or mutated digits could ask for gigabytes: the numbers of a list are counted
// before they are made. Pure.
#pragma once
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/types.h"

namespace peregrine {

// Every process id that Linux can give (PID_MAX_LIMIT is 2^22), and 16 MB.
inline constexpr u64 kLongestNumberList = u64{1} << 22;

// The numbers in ascending order, each once; none for "". Errors (Usage): not a number, a falling range, a number above
// `highest`, more than kLongestNumberList or `highest` + 1 numbers in total, repeated ones included.
Result<std::vector<u32>> parse_number_list(std::string_view text, u32 highest = ~u32{0});

}  // namespace peregrine
