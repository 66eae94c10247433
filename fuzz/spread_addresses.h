// Addresses spread over a file's segments, for targets that look up addresses.
#pragma once
#include <algorithm>
#include <cstddef>
#include <vector>

#include "base/types.h"
#include "symbol/elf/elf_file.h"

namespace peregrine {

// The entry point and `steps` addresses in each segment, at most `most` in total.
inline void add_spread_addresses(const ElfFile& file, u64 steps, std::size_t most, std::vector<u64>& addresses) {
  addresses.push_back(file.entry());
  for (const ElfSegment& segment : file.segments())
    for (u64 step = 0; step < steps; ++step)
      addresses.push_back(segment.address + step * (segment.memory_size / steps + 1));
  addresses.resize(std::min(addresses.size(), most));
}

}  // namespace peregrine
