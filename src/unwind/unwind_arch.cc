#include "unwind/unwind_arch.h"

#include "base/types.h"
#include "unwind/arch/tables.h"

namespace peregrine {

const UnwindArch* unwind_arch(abi::Arch arch, u64 registers_abi) {
  constexpr u64 k32 = 1, k64 = 2;
  if (arch == abi::Arch::X86 && registers_abi == k64) return &x86_64_unwind_arch();
  if (arch == abi::Arch::X86 && registers_abi == k32) return &i386_unwind_arch();
  if (arch == abi::Arch::Arm64 && registers_abi == k64) return &arm64_unwind_arch();
  return nullptr;
}

}  // namespace peregrine
