// CallgraphRequest: the parsed value of --call-graph.
#pragma once
#include <string_view>

#include "base/result.h"
#include "base/types.h"

namespace peregrine {

enum class CallgraphMode { None, FramePointer, Dwarf, Lbr };

struct CallgraphRequest {
  CallgraphMode mode = CallgraphMode::None;
  u16 max_frames = 0;      // fp: frame limit, capped by the kernel's; 0: the kernel's limit
  bool deferred = false;   // fp: the kernel walks the user stack on return to user space (linux 6.19)
  u32 stack_bytes = 8192;  // dwarf: bytes of user stack per sample, a multiple of 8 up to 65528
  bool enabled() const { return mode != CallgraphMode::None; }
};

// "fp", "fp,32", "fp,defer", "dwarf", "dwarf,16384", "lbr". Errors (Usage) have linux-perf's text.
Result<CallgraphRequest> parse_callgraph(std::string_view text);

}  // namespace peregrine
