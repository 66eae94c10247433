// SampleStacks: the call stacks of samples as one tree of named frames, with the command's name at the bottom.
#pragma once
#include <string_view>
#include <vector>

#include "analysis/hist/picture/stack_table.h"
#include "base/types.h"
#include "machine/resolver/resolver.h"
#include "pipeline/replay/replay.h"

namespace peregrine {

class SampleStacks {
 public:
  // The stack of a sample: its call chain, or its address alone. For one resolver.
  u32 stack_of(const ReplaySample& sample, std::string_view comm, Resolver& resolver);
  StackTable& table() { return table_; }

 private:
  u32 frame_of(FrameId id, Resolver& resolver);

  StackTable table_;
  std::vector<u32> frames_;  // by FrameId: the frame plus one
  std::vector<FrameId> chain_;
};

}  // namespace peregrine
