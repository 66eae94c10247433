// Side-band of loaded BPF programs: KSYMBOL for each compiled function, then BPF_EVENT for the program.
//
// Needs CAP_BPF or CAP_SYS_ADMIN; without it, or without programs, nothing is written. Names are linux-perf's:
// "bpf_prog_<tag>_<name>".
#pragma once
#include "base/bytes.h"

namespace peregrine {

void synthesize_bpf_programs(std::size_t trailer_size, ByteWriter& out);

}  // namespace peregrine
