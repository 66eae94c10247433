#include "session/export/stack_advice.h"

#include <algorithm>
#include <vector>

#include "abi/attr.h"
#include "analysis/hist/quality/stack_health.h"
#include "base/types.h"

namespace peregrine {

namespace {

// Whether the kernel recorded chains by frame pointers, rather than stack copies or branches.
bool by_frame_pointers(const data::Evlist& evlist) {
  return std::ranges::any_of(evlist, [](const data::Event& event) {
    return event.attr.samples(abi::sample_bit::Callchain) && !event.attr.samples(abi::sample_bit::StackUser) &&
           !event.attr.samples(abi::sample_bit::BranchStack);
  });
}

// At a function's first instruction, the caller is not yet on the chain of frame pointers.
bool counts_probe(const std::vector<std::string>& names, const Hists& hists) {
  for (u32 event = 0; event < names.size(); ++event)
    if (names[event].starts_with("probe_") && hists.totals(event).samples != 0) return true;
  return false;
}

}  // namespace

std::string stack_advice(const data::Evlist& evlist, const std::vector<std::string>& names, const Hists& hists,
                         const DsoTable& dsos) {
  const StackHealth health = stack_health_of(hists, dsos);
  if (health.samples == 0) return {};
  if (by_frame_pointers(evlist)) {
    if (counts_probe(names, hists))
      return "Stacks of a probe at a function's entry lack its caller; for complete stacks: perf record --call-graph "
             "dwarf";
    if (std::string broken = explain_broken_stacks(health, dsos); !broken.empty()) return broken;
  }
  return explain_interpreted_stacks(health);
}

}  // namespace peregrine
