// Bounds maps of things that wait for their end: ends get lost, and made-up recordings have none.
#pragma once
#include <algorithm>
#include <cstddef>
#include <vector>

#include "base/types.h"

namespace peregrine {

// Removes the older half of a map, at least one entry if there are any; time_of(entry) is the time of an entry. Returns
// how many were removed. The cost for each new entry is small if the map is full whenever this is called.
template <class Map, class TimeOf>
std::size_t forget_older_half(Map& map, const TimeOf& time_of) {
  if (map.empty()) return 0;
  std::vector<u64> times;
  times.reserve(map.size());
  for (const auto& entry : map) times.push_back(time_of(entry));
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::ranges::nth_element(times, middle);
  return std::erase_if(map, [&](const auto& entry) { return time_of(entry) <= *middle; });
}

}  // namespace peregrine
