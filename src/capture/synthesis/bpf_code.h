// The loaded BPF programs with their machine code, as stored in the header feature BPF_PROG_INFO, so that annotate can
// show them later.
//
// Needs CAP_BPF or CAP_SYS_ADMIN; otherwise empty.
#pragma once
#include <cstddef>
#include <vector>

#include "base/types.h"

namespace peregrine {

struct LoadedProgram {
  std::vector<std::byte> information;  // struct bpf_prog_info; its pointers are offsets into `arrays`
  std::vector<std::byte> arrays;
  u64 which = 0;  // one bit per array present, numbered as in recordings
};

std::vector<LoadedProgram> read_loaded_programs();

}  // namespace peregrine
