// call_site: the code that called a tracepoint: the first frame of the sample's chain outside the tracing code.
//
//   __traceiter_kmalloc, __kmalloc_noprof ◀── this, load_elf_binary, …
//   syscall_trace_enter, do_syscall_64, entry_SYSCALL_64_after_hwframe, openat ◀── this, main
//
// For samples without a chain: the sampled code.
#pragma once
#include "machine/resolver/resolver.h"
#include "pipeline/replay/replay.h"

namespace peregrine {

FrameId call_site(const ReplaySample& sample, Resolver& resolver);

}  // namespace peregrine
