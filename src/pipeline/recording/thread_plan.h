// The plan of `record --threads`: which thread empties the rings of which CPUs, and on which CPUs it runs itself.
//
//   cpu (one each), core, package, numa, or lists of their own: "RINGS/RUNS-ON:RINGS/RUNS-ON", as "0-3/0:4-7/4"
#pragma once
#include <string_view>
#include <vector>

#include "base/result.h"
#include "sys/hardware/cpu.h"
#include "sys/root.h"

namespace peregrine {

struct ThreadPlan {
  CpuList rings;     // whose rings it empties
  CpuList affinity;  // where it runs
};
// Errors (Usage): no such plan, lists that overlap or name no CPU that is online.
Result<std::vector<ThreadPlan>> parse_thread_plan(const Root& root, std::string_view text);

struct DrainPart {
  std::vector<std::size_t> rings;  // indices
  CpuList affinity;
};
// `ring_cpus`: the CPU of each ring, -1 for a thread's ring, which the first part gets. Parts without rings are left
// out; rings that are in no part are appended to `left_out`.
std::vector<DrainPart> assign_rings(const std::vector<ThreadPlan>& plan, const std::vector<int>& ring_cpus,
                                    std::vector<int>& left_out);

// Moves the calling thread to these CPUs; an empty list changes nothing.
Result<> run_on(const CpuList& cpus);

}  // namespace peregrine
