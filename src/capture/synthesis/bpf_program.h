// bpf_program: the kernel's list of loaded BPF programs, asked with bpf(2). Used by those who write what it says.
#pragma once
#include <linux/bpf.h>

#include <optional>

#include "base/fd.h"
#include "base/types.h"

namespace peregrine {

// The first program with a larger id; 0 begins. Nothing at the end, or without the right to ask.
std::optional<u32> next_bpf_program(u32 id);
// Not valid when it has gone meanwhile.
Fd open_bpf_program(u32 id);
// Arrays that `information` points at are filled as far as it says that they reach.
bool read_bpf_information(const Fd& program, bpf_prog_info& information);

}  // namespace peregrine
