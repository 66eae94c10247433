// FoldedStacks: a profile's samples of one event summed up by what flame graph tools tell apart: the thread's label and
// the names of the frames.
//
// Rows are in the order of their labels, from the outermost frame in; a stack comes before those that go on from it.
#pragma once
#include <string>
#include <vector>

#include "analysis/profile/profile.h"

namespace peregrine {

struct FoldRequest {
  u32 event = 0;
  bool pid = false, tid = false;  // "load-7", "load-7/8"
  bool addresses = false;         // of unresolved frames: "[libc.so.6 <4f2a>]"
  // Marks behind a name that flamegraph.pl colours by: _[k], _[j], _[i].
  bool mark_kernel = false, mark_jit = false, mark_inlined = false;
};

struct FoldedStacks {
  struct Row {
    u32 root = 0;   // frame id of the thread's label
    ChainId stack;  // of `stacks`; the root when it has no frames
    u64 period = 0, samples = 0;
  };
  std::vector<std::string> labels;  // by HistFrameId of `stacks`: frames and threads; the same for any event
  std::vector<u32> example;         // by label: a frame of the profile that is called so; ~0u: a thread
  ChainTree stacks;
  std::vector<Row> rows;
};

FoldedStacks fold(const Profile& profile, const FoldRequest& request);

// The event whose samples are to be folded when nobody names one: the first that has any.
u32 first_sampled_event(const Profile& profile);

}  // namespace peregrine
