// bpf_symbol: the names that linux-perf gives to functions of BPF programs in the header: "bpf_prog_" tag "_" name.
// Pure.
//
// The name comes from the program's BTF (feature BPF_BTF), format include/uapi/linux/btf.h.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/types.h"
#include "data/feature/features.h"

namespace peregrine::data {

// The names of the types in BTF bytes, which must outlive this.
class BtfTypeNames {
 public:
  BtfTypeNames(Bytes btf, ByteOrder order);
  // Empty if there is no type with this number, or it has no name.
  std::string name(u32 type) const;

 private:
  Bytes strings_;
  std::vector<u32> names_;  // offsets in strings_; type number 1 is the first
};

// Returns the name of function number `function`. `types`: of the program's BTF, or null.
std::string bpf_symbol(const BpfProgram& program, std::size_t function, const BtfTypeNames* types);

}  // namespace peregrine::data
