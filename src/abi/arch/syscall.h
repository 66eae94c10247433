// Numbers of system calls by the name that tracepoints have for them: the kernel's own ("newfstat" for fstat, "umount"
// for umount2).
//
// Sources: arch/*/entry/syscalls/*.tbl and asm-generic/unistd.h. 64-bit processes only, as tracepoints are.
#pragma once
#include <optional>
#include <string_view>

#include "abi/arch/registers.h"

namespace peregrine::abi {

// Nothing for a name that came later than this table, and for architectures without a table (X86 is the 64-bit one).
std::optional<u32> syscall_number(Arch arch, std::string_view name);

}  // namespace peregrine::abi
