// available_cpus: the number of CPUs that this thread may run on, for machines of any size.
//
// A fixed cpu_set_t holds 1,024 CPUs, and the kernel refuses it with EINVAL if it may have more. Sets of growing sizes
// are tried instead.
#pragma once
#include <sched.h>

#include <cstddef>
#include <functional>

namespace peregrine {

// Like sched_getaffinity(2) for the calling thread: fills the set of `size` bytes. Returns 0 or an errno.
using AffinityQuery = std::function<int(std::size_t size, cpu_set_t* set)>;

// At least 1. If the kernel gives no answer: std::thread::hardware_concurrency().
unsigned available_cpus();
unsigned available_cpus(const AffinityQuery& query);

}  // namespace peregrine
