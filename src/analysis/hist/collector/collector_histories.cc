// HistCollector's callchains that include the sample's branch stack.
#include <algorithm>
#include <cstddef>

#include "analysis/hist/chain/chain_tree.h"
#include "analysis/hist/chain/hist_frame.h"
#include "analysis/hist/collector/branch_history.h"
#include "analysis/hist/collector/collector.h"
#include "analysis/hist/collector/collector_worker.h"
#include "analysis/hist/row/row_table.h"
#include "base/types.h"
#include "machine/process/moment.h"
#include "machine/resolver/resolver.h"
#include "machine/source/source_table.h"
#include "pipeline/replay/replay.h"

namespace peregrine {

// Inlined functions are not expanded here: the end of a branch is an instruction, not a call.
HistFrameId HistCollector::branch_frame(Worker& worker, const ReplaySample& sample, Resolver& resolver,
                                        u64 address) const {
  const FrameId frame = resolver.frame_anywhere(sample.context, address);
  if (!request_.chain_lines) return chain_frame(worker, resolver, frame, address, {});
  if (frame.value >= worker.line_of_frame.size())
    worker.line_of_frame.resize(std::max<std::size_t>(resolver.frame_count(), frame.value + 1), SourceTextId::kNone);
  u32& line = worker.line_of_frame[frame.value];
  if (line == SourceTextId::kNone) {
    const Frame& at = resolver.at(frame);
    line = request_.sources->shown_line(resolver, at, request_.sources->line(at), request_.chain_offsets).value;
  }
  return chain_frame(worker, resolver, frame, address, SourceTextId(line));
}

ChainId HistCollector::history_chain(Worker& worker, const ReplaySample& sample, Resolver& resolver) const {
  make_branch_history(sample.sample.branches, sample.sample.callchain, request_.history_order, request_.max_stack,
                      worker.history);
  worker.callchain.assign(worker.history.callers.begin(), worker.history.callers.end());
  if (worker.history.context != 0) worker.callchain.insert(worker.callchain.begin(), worker.history.context);
  worker.path.clear();
  worker.branch_sums.clear();
  const bool outermost_first = request_.history_order == ChainOrder::Caller;
  if (outermost_first) {
    add_callers(worker, sample, resolver, worker.callchain);
    std::ranges::reverse(worker.history.ends);
  }
  worker.branch_sums.resize(worker.path.size());
  const auto ordinal = static_cast<u32>(std::min<Moment>(sample.moment, 0xffffffffu));
  for (BranchEnd& end : worker.history.ends) {
    const HistFrameId frame = branch_frame(worker, sample, resolver, end.address);
    if (request_.filter.hide_unresolved && worker.hists.frames()[frame].symbol == HistFrame::kNone) continue;
    end.sums.first = end.sums.last = ordinal;
    worker.path.push_back(frame);
    worker.branch_sums.push_back(end.sums);
  }
  if (!outermost_first) add_callers(worker, sample, resolver, worker.callchain);
  worker.branch_sums.resize(worker.path.size());
  std::ranges::reverse(worker.branch_sums);
  const ChainId chain = path_chain(worker, resolver);
  worker.branch_sums.resize(worker.path.size());  // path_chain() removed ignored callees, innermost first
  return chain;
}

}  // namespace peregrine
