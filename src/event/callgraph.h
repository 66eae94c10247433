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
  u32 stack_bytes = 8192;  // dwarf: user stack copied per sample, a multiple of 8 up to 65528
  bool enabled() const { return mode != CallgraphMode::None; }
};

// "fp", "dwarf", "dwarf,16384", "lbr". Errors (Usage) worded as linux-perf's.
Result<CallgraphRequest> parse_callgraph(std::string_view text);

}  // namespace peregrine
