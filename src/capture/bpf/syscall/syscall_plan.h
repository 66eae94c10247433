// plan_calls: what syscall_trace.bpf.c does with each system call: whether to trace it, and which pieces of the
// caller's memory to read, according to the calls' signatures.
#pragma once
#include <span>
#include <vector>

#include "capture/bpf/syscall/syscall_trace.h"
#include "event/syscall/signature.h"

namespace peregrine {

// `chosen` is indexed by number; `buffer_bytes`: how much of buffers to capture, 0 for nothing. Fills the first
// kTracedCalls of `plans`.
void plan_calls(const Signatures& signatures, const std::vector<bool>& chosen, unsigned buffer_bytes,
                std::span<call_plan> plans);

}  // namespace peregrine
