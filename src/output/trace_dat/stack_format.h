// stack_format: call chains as the ring buffer's events kernel_stack and user_stack.
#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "base/types.h"
#include "event/tracepoint/tracing_data.h"

namespace peregrine {

// The numbers of both events. The defaults are those of recent kernels.
struct StackIds {
  u16 kernel = 4, user = 13;
};
// A recording that has the formats defines the numbers; otherwise add_stack_formats() does.
StackIds stack_ids(const TracingData& tracing);

struct StackEvent {
  bool user = false;
  u32 long_size = 8;
  ByteOrder order = kHostOrder;
  u32 pid = 0, tid = 0;
  std::span<const u64> addresses;  // innermost first
};

// The bytes of the event.
std::vector<std::byte> stack_event(const StackEvent& stack, const StackIds& ids);
// Adds the formats of both events unless they are there.
void add_stack_formats(TracingData& tracing);

}  // namespace peregrine
