// The state of one HistCollector worker between samples.
#pragma once
#include <cstddef>
#include <deque>
#include <span>
#include <utility>
#include <vector>

#include "analysis/data_type/data_type_table.h"
#include "analysis/data_type/frame_data_types.h"
#include "analysis/hist/chain/branch_sums.h"
#include "analysis/hist/chain/chain_memo.h"
#include "analysis/hist/chain/chain_tree.h"
#include "analysis/hist/chain/hist_frame.h"
#include "analysis/hist/chain/recent_chains.h"
#include "analysis/hist/collector/branch_history.h"
#include "analysis/hist/collector/collector.h"
#include "analysis/hist/collector/place_frames.h"
#include "analysis/hist/collector/running_threads.h"
#include "analysis/hist/entry/hists.h"
#include "analysis/hist/key/recorded_names.h"
#include "analysis/hist/key/sample_facts.h"
#include "analysis/hist/key/trace_fields.h"
#include "analysis/hist/key/trace_texts.h"
#include "base/types.h"
#include "machine/process/moment.h"
#include "machine/resolver/resolver.h"
#include "machine/source/source_table.h"
#include "pipeline/replay/replay.h"

namespace peregrine {

struct HistCollector::Source {
  std::vector<InlinedFunction> inlined;
  SourceTextId line;
};

// A callchain or part of one.
struct HistCollector::ChainPart {
  std::span<const u64> addresses;
  u64 context = 0;             // changes whenever the addresses might mean something else
  ChainId below = kRootChain;  // parent node of its outermost frame
  bool whole = false;          // outermost frames may be dropped, so nothing is shared
};

// Known chains of one kind.
struct HistCollector::KnownChains {
  ChainMemo memo;
  RecentChains recent;
};

// What a frame contributes to every chain. Kept together for locality, since there are more frames than fit into the
// caches.
struct HistCollector::KnownFrame {
  u32 first[2] = {};  // by place (exact, return): start in known_frames, innermost first,
  u16 count[2] = {};  // and count; 0: not yet known
  FrameKind kind = FrameKind::Unknown;
  bool met = false;
  bool tells_address = false;  // distinguished by address, so not cached
};

struct HistCollector::Worker {
  Worker(std::size_t values, std::vector<bool> frame_values, PlaceFrames ends)
      : hists(values, std::move(frame_values)), group(values), branch_frames(std::move(ends)) {}

  Hists hists;
  KnownChains chains, kernel_chains;  // second: the kernel parts, each below the node of what entered the kernel
  std::vector<u64> group;
  PlaceFrames branch_frames;
  TraceTexts::Memo traces;
  TraceFields::Memo fields;
  FrameDataTypes data_types;
  UnknownTypeCounts unknown_types{};
  RunningThreads running;
  u64 parallelism = 1;                   // of the current sample
  BranchHit branch;                      // the current one
  std::vector<u32> leaf_of_frame;        // by the resolver's FrameId
  std::vector<u32> source_of_frame;      // index in sources, by the resolver's FrameId and the place
  std::deque<Source> sources{Source()};  // the first one: nothing inlined, no line
  std::vector<KnownFrame> known;         // by the resolver's FrameId
  std::vector<HistFrameId> known_frames;
  std::vector<FrameId> frames;
  std::vector<u64> ips;
  std::vector<HistFrameId> path;         // innermost first
  std::vector<std::size_t> path_starts;  // by frame: where it starts in `path`
  std::vector<ChainId> nodes;
  BranchHistory history;                // of the current sample
  std::vector<BranchSums> branch_sums;  // of the path's frames, then of its chain, outermost first
  std::vector<u32> line_of_frame;       // SourceTextId, by the resolver's FrameId
  std::vector<u64> callchain;
  std::vector<signed char> parent_memo, callee_memo;  // by HistFrameId: -1 unknown, 0, 1
  std::vector<u32> parent_of_chain;                   // by ChainId
  HistFrameId no_parent;
  std::vector<std::pair<Moment, ThreadRead>> reads;
  RecordedNames names;
};

// One sample or branch of a worker, as seen by the sort keys.
class HistCollector::Facts : public SampleFacts {
 public:
  // `chain`: the sample's chain as counted.
  Facts(const HistCollector& collector, Worker& worker, const ReplaySample& sample, Resolver& resolver, ChainId chain)
      : SampleFacts(sample, worker.branch),
        collector_(collector),
        worker_(worker),
        resolver_(resolver),
        chain_(chain) {}

  i32 socket() override { return collector_.socket_of(sample()); }
  u64 parallelism() override { return worker_.parallelism; }
  u64 time_quantum() override { return collector_.request_.time_quantum; }
  HistFrameId parent() override { return collector_.parent_of(worker_, resolver_, chain_); }
  HistFrameId function() override;
  HistFrameId place() override;
  HistFrameId call_site() override;
  HistFrameId data(u64 address) override;
  u32 trace_text() override;
  u32 field(std::size_t index) override;
  DataTypeTable::Texts data_type() override;

 private:
  const HistCollector& collector_;
  Worker& worker_;
  Resolver& resolver_;
  ChainId chain_;
};

}  // namespace peregrine
