// What one worker of a HistCollector keeps between samples.
#pragma once
#include <deque>
#include <utility>
#include <vector>

#include "analysis/data_type/frame_data_types.h"
#include "analysis/hist/branch_history.h"
#include "analysis/hist/collector.h"
#include "analysis/hist/recent_chains.h"
#include "analysis/hist/running_threads.h"

namespace peregrine {

struct HistCollector::Source {
  std::vector<InlinedFunction> inlined;
  SourceTextId line;
};

struct HistCollector::Worker {
  Worker(std::size_t values, std::vector<bool> frame_values, PlaceFrames ends)
      : hists(values, std::move(frame_values)), group(values), branch_frames(std::move(ends)) {}

  Hists hists;
  ChainMemo memo;
  RecentChains recent;
  std::vector<u64> group;
  PlaceFrames branch_frames;
  TraceTexts::Memo traces;
  TraceFields::Memo fields;
  FrameDataTypes data_types;
  UnknownTypeCounts unknown_types{};
  RunningThreads running;
  u64 parallelism = 1;                   // of the sample that is counted
  BranchHit branch;                      // the one that is counted
  std::vector<u32> leaf_of_frame;        // by the resolver's FrameId
  std::vector<u32> source_of_frame;      // index in sources, by the resolver's FrameId and the place
  std::deque<Source> sources{Source()};  // the first: nothing is inlined, no line
  // What a frame is on every chain, innermost first, by the resolver's FrameId and the place.
  struct KnownPath {
    u32 first = HistFrameId::kNone, count = 0;  // in known_frames
  };
  std::vector<KnownPath> known_paths;
  std::vector<HistFrameId> known_frames;
  std::vector<FrameId> frames;
  std::vector<u64> ips;
  std::vector<HistFrameId> path;         // innermost first
  std::vector<std::size_t> path_starts;  // by frame: where in `path` it begins
  std::vector<ChainId> nodes;
  BranchHistory history;                // of the sample that is counted
  std::vector<BranchSums> branch_sums;  // of the path's frames, then of its chain, outermost first
  std::vector<u32> line_of_frame;       // SourceTextId, by the resolver's FrameId
  std::vector<u64> callchain;
  std::vector<signed char> parent_memo, callee_memo;  // by HistFrameId: -1 unknown, 0, 1
  std::vector<u32> parent_of_chain;                   // by ChainId
  HistFrameId no_parent;
  std::vector<std::pair<Moment, ThreadRead>> reads;
  RecordedNames names;
};

}  // namespace peregrine
