#include "analysis/annotate/run_counter.h"

#include <cstddef>
#include <span>

#include "abi/sample.h"
#include "base/types.h"

namespace peregrine {

void RunCounter::add(const ReplaySample& sample, Resolver& resolver) {
  const std::span<const abi::BranchEntry> branches = sample.sample.branches;  // newest first
  for (std::size_t at = 0; at + 1 < branches.size(); ++at) {
    const abi::BranchEntry& branch = branches[at];
    const u64 begin = branches[at + 1].to;
    if (branch.from < begin) continue;
    const FrameId first = resolver.frame_anywhere(sample.context, begin);
    const FrameId last = resolver.frame_anywhere(sample.context, branch.from);
    const Frame &one = resolver.at(first), &other = resolver.at(last);
    if (!one.symbol || one.dso != other.dso || one.symbol != other.symbol) continue;
    const auto [at_ends, fresh] = found_.try_emplace(u64{first.value} << 32 | last.value);
    Found& found = at_ends->second;
    if (fresh)
      found = {one.dso, one.symbol, {.begin = resolver.symbol_offset(one), .end = resolver.symbol_offset(other)}};
    CodeRun run{.count = 1, .predicted = branch.predicted ? 1u : 0u};
    if (branch.cycles != 0) {
      run.timed = 1;
      run.cycles = run.least = run.most = branch.cycles;
    }
    found.run.add(run);
  }
}

}  // namespace peregrine
