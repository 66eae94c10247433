// HistCollector's branch stack modes: count branches, or the blocks between them, instead of samples.
#include <cstddef>
#include <span>

#include "abi/sample.h"
#include "analysis/hist/chain/chain_tree.h"
#include "analysis/hist/chain/hist_frame.h"
#include "analysis/hist/collector/collector.h"
#include "analysis/hist/collector/collector_worker.h"
#include "analysis/hist/entry/hists.h"
#include "base/types.h"
#include "machine/resolver/resolver.h"
#include "pipeline/replay/replay.h"

namespace peregrine {

// Each branch counts once, at its target. The sample's period does not apply to branches.
void HistCollector::count_branches(Worker& worker, const ReplaySample& sample, Resolver& resolver) const {
  for (const abi::BranchEntry& entry : sample.sample.branches) {
    HistFrameTable& frames = worker.hists.frames();
    worker.branch = {
        .entry = entry,
        .from = worker.branch_frames.find(frames, resolver, resolver.frame_anywhere(sample.context, entry.from)),
        .to = worker.branch_frames.find(frames, resolver, resolver.frame_anywhere(sample.context, entry.to))};
    const auto unresolved = [&](HistFrameId end) { return frames[end].symbol == HistFrame::kNone; };
    if (request_.filter.hide_unresolved && (unresolved(worker.branch.from) || unresolved(worker.branch.to))) continue;
    EventTotals& totals = worker.hists.totals(sample.event);
    ++totals.samples;
    ++totals.period;
    const FrameId target = resolver.frame_anywhere(sample.context, entry.to);
    if (refused(sample, resolver, resolver.at(target))) continue;
    fill_group(worker, sample, resolver, kRootChain);
    add_hit(worker, sample, leaf_frame(worker, resolver, target), kRootChain, 1);
  }
}

// Branch stacks hold the newest branch first. The code between the target of one branch and the source of the next ran
// without branching; the next branch's cycles are its duration.
void HistCollector::count_blocks(Worker& worker, const ReplaySample& sample, Resolver& resolver) const {
  const std::span<const abi::BranchEntry> branches = sample.sample.branches;
  EventTotals& totals = worker.hists.totals(sample.event);
  totals.samples += branches.size();
  totals.period += branches.size();
  for (std::size_t i = 0; i + 1 < branches.size(); ++i) {
    const u64 start = branches[i + 1].to, end = branches[i].from;
    if (branches[i].cycles == 0 || end < start) continue;
    const FrameId first = resolver.frame_anywhere(sample.context, start);
    const FrameId last = resolver.frame_anywhere(sample.context, end);
    // A block cannot span functions: branches are missing in between.
    if (resolver.at(first).dso != resolver.at(last).dso || resolver.at(first).symbol != resolver.at(last).symbol)
      continue;
    if (refused(sample, resolver, resolver.at(first))) continue;
    HistFrameTable& frames = worker.hists.frames();
    worker.branch = {.entry = branches[i],
                     .from = worker.branch_frames.find(frames, resolver, first),
                     .to = worker.branch_frames.find(frames, resolver, last)};
    fill_group(worker, sample, resolver, kRootChain);
    add_hit(worker, sample, leaf_frame(worker, resolver, first), kRootChain, branches[i].cycles);
  }
}

}  // namespace peregrine
