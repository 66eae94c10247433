// The system calls of the recorded machine.
#pragma once
#include "abi/arch/registers.h"
#include "abi/arch/syscall.h"
#include "data/header/recorded_arch.h"
#include "data/reader/reader.h"

namespace peregrine {

// Of this machine, if the recording does not name its architecture.
inline abi::SyscallSet recorded_calls(const data::Reader& reader) {
  const abi::Arch arch = data::recorded_arch(reader.header().features);
  return abi::syscall_set(arch == abi::Arch::Unknown ? abi::kHostArch : arch);
}

}  // namespace peregrine
