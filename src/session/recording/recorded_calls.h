// The architecture and system calls of the recorded machine.
#pragma once
#include "abi/arch/registers.h"
#include "abi/arch/syscall.h"
#include "data/header/recorded_arch.h"
#include "data/reader/reader.h"

namespace peregrine {

// This machine's, if that of the recording is unknown.
inline abi::Arch recorded_arch_or_host(const data::Reader& reader) {
  const abi::Arch arch = data::recorded_arch(reader.header().features);
  return arch == abi::Arch::Unknown ? abi::kHostArch : arch;
}

inline abi::SyscallSet recorded_calls(const data::Reader& reader) {
  return abi::syscall_set(recorded_arch_or_host(reader));
}

}  // namespace peregrine
