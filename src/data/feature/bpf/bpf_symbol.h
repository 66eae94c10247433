// bpf_symbol: the names that linux-perf gives to functions of BPF programs in the header: "bpf_prog_" tag "_" name.
// Pure.
//
// The name comes from the program's BTF (feature BPF_BTF), format include/uapi/linux/btf.h.
#pragma once
#include <cstddef>
#include <string>

#include "base/bytes.h"
#include "base/types.h"
#include "data/feature/features.h"

namespace peregrine::data {

// Returns the name of function number `function`. `types` is the program's BTF or null.
std::string bpf_symbol(const BpfProgram& program, std::size_t function, const BpfTypes* types, ByteOrder order);

// Returns the name of type number `type` in BTF bytes, or an empty string.
std::string btf_type_name(Bytes btf, u32 type, ByteOrder order);

}  // namespace peregrine::data
