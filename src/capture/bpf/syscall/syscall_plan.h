// plan_calls: what syscall_trace.bpf.c does with each system call: whether it is traced at all, and which pieces of the
// caller's memory it reads, made from the calls' signatures.
#pragma once
#include <span>

#include "capture/bpf/syscall/syscall_trace.h"
#include "event/syscall/signature.h"

namespace peregrine {

// `chosen` by number; `buffer_bytes`: what is shown of buffers, 0 for nothing. Fills the first kTracedCalls of `plans`.
void plan_calls(const Signatures& signatures, const std::vector<bool>& chosen, unsigned buffer_bytes,
                std::span<call_plan> plans);

}  // namespace peregrine
