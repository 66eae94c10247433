#include "base/concurrency/available_cpus.h"

#include <algorithm>
#include <cerrno>
#include <thread>
#include <vector>

namespace peregrine {

unsigned available_cpus(const AffinityQuery& query) {
  constexpr std::size_t kMostSets = 1024;  // a million CPUs
  for (std::size_t sets = 1; sets <= kMostSets; sets *= 2) {
    std::vector<cpu_set_t> set(sets);  // CPU_ALLOC's memory is made of such units too
    const std::size_t size = sets * sizeof(cpu_set_t);
    const int error = query(size, set.data());
    if (error == 0) return static_cast<unsigned>(std::max(CPU_COUNT_S(size, set.data()), 1));
    if (error != EINVAL) break;
  }
  return std::max(std::thread::hardware_concurrency(), 1u);
}

unsigned available_cpus() {
  return available_cpus(
      [](std::size_t size, cpu_set_t* set) { return ::sched_getaffinity(0, size, set) == 0 ? 0 : errno; });
}

}  // namespace peregrine
