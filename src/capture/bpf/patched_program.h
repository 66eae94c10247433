// load_patched: loads a copy of a BPF program that libbpf has loaded, with some constants replaced. The constants are
// marks that occur nowhere else in the program (PATCHED in watch.bpf.h).
#pragma once
#include <bpf/libbpf.h>

#include <span>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "base/types.h"

namespace peregrine {

struct Patch {
  i32 mark = 0, value = 0;
};

// The instructions with each mark replaced. Errors: Unsupported if a mark does not occur exactly once.
Result<std::vector<bpf_insn>> patched_code(std::span<const bpf_insn> code, std::span<const Patch> patches);

// Errors: the kernel's; Unsupported if a mark does not occur exactly once.
Result<Fd> load_patched(const bpf_program* original, std::span<const Patch> patches);

// How often the kernel skipped a program because it was already running on that CPU.
u64 missed_runs(int program);

}  // namespace peregrine
