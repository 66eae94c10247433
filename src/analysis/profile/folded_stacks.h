// FoldedStacks: a profile's samples of one event, aggregated by thread label and frame names, as for flame graph tools.
//
// Rows are sorted by labels from the outermost frame inwards; a stack precedes its extensions.
#pragma once
#include <string>
#include <vector>

#include "analysis/hist/chain/chain_tree.h"
#include "analysis/profile/profile.h"
#include "base/types.h"

namespace peregrine {

struct FoldRequest {
  u32 event = 0;
  bool pid = false, tid = false;  // "load-7", "load-7/8"
  bool addresses = false;         // for unresolved frames: "[libc.so.6 <4f2a>]"
  // Suffixes by which flamegraph.pl chooses colours: _[k], _[j], _[i].
  bool mark_kernel = false, mark_jit = false, mark_inlined = false;
};

struct FoldedStacks {
  struct Row {
    u32 root = 0;   // frame id of the thread's label
    ChainId stack;  // in `stacks`; the root if it has no frames
    u64 period = 0, samples = 0;
  };
  std::vector<std::string> labels;  // by HistFrameId of `stacks`: frames and threads; the same for all events
  std::vector<u32> example;         // by label: a frame of the profile with that label; ~0u: a thread
  ChainTree stacks;
  std::vector<Row> rows;
};

FoldedStacks fold(const Profile& profile, const FoldRequest& request);

// The default event to fold: the first with samples.
u32 first_sampled_event(const Profile& profile);

}  // namespace peregrine
