// load_patched: a copy of a BPF program that libbpf has loaded, with some of its numbers replaced. The numbers are
// marks that stand nowhere else in the program (PATCHED in watch.bpf.h).
#pragma once
#include <bpf/libbpf.h>

#include <span>

#include "base/fd.h"

namespace peregrine {

struct Patch {
  i32 mark = 0, value = 0;
};

// Errors: the kernel's, and Unsupported for a mark that does not stand in the program exactly once.
Result<Fd> load_patched(const bpf_program* original, std::span<const Patch> patches);

// How often the kernel did not run a program, since it ran on that CPU already.
u64 missed_runs(int program);

}  // namespace peregrine
