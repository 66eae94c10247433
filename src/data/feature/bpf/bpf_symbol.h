// bpf_symbol: what linux-perf calls the functions of a BPF program in the header: "bpf_prog_" tag "_" name. Pure.
//
// The name comes from the program's BTF (feature BPF_BTF), format include/uapi/linux/btf.h.
#pragma once
#include "data/feature/features.h"

namespace peregrine::data {

// The name of function number `function`; `types` is the program's BTF or null.
std::string bpf_symbol(const BpfProgram& program, std::size_t function, const BpfTypes* types, ByteOrder order);

// The name of type number `type` in BTF bytes; empty when there is none.
std::string btf_type_name(Bytes btf, u32 type, ByteOrder order);

}  // namespace peregrine::data
