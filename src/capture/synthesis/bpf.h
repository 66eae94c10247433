// Side-band of loaded BPF programs: a KSYMBOL for each compiled function, then a BPF_EVENT for the program.
//
// Needs CAP_BPF or CAP_SYS_ADMIN; otherwise nothing is written. Names are linux-perf's: "bpf_prog_<tag>_<name>".
#pragma once
#include <cstddef>

#include "base/bytes.h"

namespace peregrine {

void synthesize_bpf_programs(std::size_t trailer_size, ByteWriter& out);

}  // namespace peregrine
