// call_site: which code called a tracepoint: the first frame of the sample's chain that is not part of tracing.
//
//   __traceiter_kmalloc, __kmalloc_noprof ◀── this, load_elf_binary, …
//   syscall_trace_enter, do_syscall_64, entry_SYSCALL_64_after_hwframe, openat ◀── this, main
//
// Of a sample without a chain, the code that was hit.
#pragma once
#include "machine/resolver/resolver.h"
#include "pipeline/replay/replay.h"

namespace peregrine {

FrameId call_site(const ReplaySample& sample, Resolver& resolver);

}  // namespace peregrine
