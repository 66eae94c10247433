// The BPF programs that are loaded now, each as the kernel describes it, with its machine code: what the header's
// BPF_PROG_INFO holds, so that annotate can show them later.
//
// Needs CAP_BPF or CAP_SYS_ADMIN; without it, or without programs, there are none.
#pragma once
#include <vector>

#include "base/types.h"

namespace peregrine {

struct LoadedProgram {
  std::vector<std::byte> information;  // struct bpf_prog_info; its pointers are offsets into `arrays`
  std::vector<std::byte> arrays;
  u64 which = 0;  // a bit for each array that is there, numbered as in recordings
};

std::vector<LoadedProgram> read_loaded_programs();

}  // namespace peregrine
