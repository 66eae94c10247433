// bpf_program: enumerates loaded BPF programs with bpf(2).
#pragma once
#include <linux/bpf.h>

#include <optional>

#include "base/fd.h"
#include "base/types.h"

namespace peregrine {

// The next larger program id; start with 0. Nothing at the end, or without permission.
std::optional<u32> next_bpf_program(u32 id);
// Invalid if the program is gone.
Fd open_bpf_program(u32 id);
// Fills the arrays that `information` points at, up to the sizes it states.
bool read_bpf_information(const Fd& program, bpf_prog_info& information);

}  // namespace peregrine
