// The plan of `record --threads`: which thread drains the rings of which CPUs, and the CPUs it runs on.
//
//   cpu (one each), core, package, numa, or lists: "RINGS/RUNS-ON:RINGS/RUNS-ON", e.g. "0-3/0:4-7/4"
#pragma once
#include <cstddef>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "sys/hardware/cpu.h"
#include "sys/root.h"

namespace peregrine {

struct ThreadPlan {
  CpuList rings;     // it drains the rings of these CPUs
  CpuList affinity;  // where it runs
};
// Errors (Usage): unknown plan, overlapping lists, or no online CPU.
Result<std::vector<ThreadPlan>> parse_thread_plan(const Root& root, std::string_view text);

struct DrainPart {
  std::vector<std::size_t> rings;  // indices
  CpuList affinity;
};
// `ring_cpus`: the CPU of each ring; -1 for a thread's ring, which goes to the first part. Omits parts without rings;
// appends rings that belong to no part to `left_out`.
std::vector<DrainPart> assign_rings(const std::vector<ThreadPlan>& plan, const std::vector<int>& ring_cpus,
                                    std::vector<int>& left_out);

// Moves the calling thread to these CPUs; does nothing for an empty list.
Result<> run_on(const CpuList& cpus);

}  // namespace peregrine
