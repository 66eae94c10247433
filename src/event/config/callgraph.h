// CallgraphRequest: what --call-graph asks of the kernel.
#pragma once
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/types.h"

namespace peregrine {

enum class CallgraphMode { None, FramePointer, Dwarf, Lbr };

struct CallgraphRequest {
  CallgraphMode mode = CallgraphMode::None;
  u16 max_frames = 0;      // fp: at most so many, as the kernel's limit allows; 0: as many as that
  bool deferred = false;   // fp: the kernel walks user stacks when it returns to user space (linux 6.19)
  u32 stack_bytes = 8192;  // dwarf: user stack copied per sample, a multiple of 8 up to 65528
  bool enabled() const { return mode != CallgraphMode::None; }
};

// "fp", "fp,32", "fp,defer", "dwarf", "dwarf,16384", "lbr". Errors (Usage) worded as linux-perf's.
Result<CallgraphRequest> parse_callgraph(std::string_view text);

}  // namespace peregrine
