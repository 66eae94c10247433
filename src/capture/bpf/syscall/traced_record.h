// Decodes the output of SyscallTracer's BPF programs: the records in their ring (syscall_trace.h) and the sums in
// their maps. Pure.
#pragma once
#include <unordered_map>

#include "base/bytes.h"
#include "base/types.h"
#include "capture/bpf/syscall/syscall_trace.h"
#include "capture/bpf/syscall/syscall_tracer.h"
#include "event/syscall/call.h"

namespace peregrine {

// The state of a ring read.
struct TracedDelivery {
  CallReader* reader = nullptr;                  // of the drain in progress
  std::unordered_map<i32, CallerStack> callers;  // by thread: for its next call
};

// One record of the ring, aligned to 8 bytes. Returns false if the reader wants no more.
bool deliver_traced(Bytes record, TracedDelivery& delivery);

// Without `by_thread`, the key's tid is a CPU and is dropped.
CallSum call_sum_of(const call_key& key, const call_sum& sum, bool by_thread);

}  // namespace peregrine
