// System call numbers and names. A call has two names: the one in unistd.h ("fstat"), and the kernel's own, which
// tracepoints use ("newfstat", "umount" for umount2).
//
// Sources: arch/*/entry/syscalls/*.tbl and asm-generic/unistd.h. 32-bit processes use other numbers and have no
// tracepoints.
#pragma once
#include <optional>
#include <string_view>

#include "abi/arch/registers.h"
#include "base/types.h"

namespace peregrine::abi {

// Which table applies; it depends on the process's ABI as well as the architecture.
enum class SyscallSet { Unknown, X86_64, I386, Generic };
SyscallSet syscall_set(Arch arch, bool compat = false);

// "fstat"; empty if the number is newer than the table, or the set has no table.
std::string_view syscall_name(SyscallSet set, u32 number);
std::string_view syscall_name(Arch arch, u32 number);  // for 64-bit processes
// "newfstat".
std::string_view syscall_tracepoint(SyscallSet set, u32 number);

// Looks up a tracepoint name, for 64-bit processes. Empty if the name is newer than the table or the architecture has
// none (X86 means x86-64).
std::optional<u32> syscall_number(Arch arch, std::string_view name);

}  // namespace peregrine::abi
