// Numbers of system calls and their names: those of unistd.h ("fstat"), and those that tracepoints have, the kernel's
// own ("newfstat", "umount" for umount2).
//
// Sources: arch/*/entry/syscalls/*.tbl and asm-generic/unistd.h. 32-bit processes have other numbers, and no
// tracepoints.
#pragma once
#include <optional>
#include <string_view>

#include "abi/arch/registers.h"

namespace peregrine::abi {

// Whose numbers: they depend on the kind of process too.
enum class SyscallSet { Unknown, X86_64, I386, Generic };
SyscallSet syscall_set(Arch arch, bool compat = false);

// "fstat"; empty for a number that came later than this table, and where there is no table.
std::string_view syscall_name(SyscallSet set, u32 number);
std::string_view syscall_name(Arch arch, u32 number);  // of 64-bit processes
// "newfstat".
std::string_view syscall_tracepoint(SyscallSet set, u32 number);

// By the name of the tracepoint, of 64-bit processes. Nothing for a name that came later than this table, and for
// architectures without a table (X86 is the 64-bit one).
std::optional<u32> syscall_number(Arch arch, std::string_view name);

}  // namespace peregrine::abi
