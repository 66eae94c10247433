// Register tables: what each bit of attr.sample_regs_user and sample_regs_intr means on each architecture, and the
// order of the values in a sample.
//
// Sources: arch/*/include/uapi/asm/perf_regs.h (numbers); the names are those linux-perf prints. One table per file
// here.
#pragma once
#include <span>
#include <string_view>

#include "base/types.h"

namespace peregrine::abi {

enum class Arch { Unknown, X86, Arm, Arm64, Riscv, Powerpc, S390 };

// Parses uname(2)'s machine, as stored in the ARCH feature: "x86_64", "i686", "aarch64", "armv7l", "riscv64",
// "ppc64le", "s390x".
Arch arch_of(std::string_view machine);
// From an ELF e_machine (EM_*), as stored in the E_MACHINE feature.
Arch arch_of_elf(u32 machine);
inline constexpr Arch kHostArch =
#if defined(__x86_64__) || defined(__i386__)
    Arch::X86;
#elif defined(__aarch64__)
    Arch::Arm64;
#elif defined(__arm__)
    Arch::Arm;
#elif defined(__riscv)
    Arch::Riscv;
#elif defined(__powerpc__)
    Arch::Powerpc;
#elif defined(__s390__)
    Arch::S390;
#else
    Arch::Unknown;
#endif

struct RegisterTable {
  std::span<const std::string_view> names;  // indexed by bit; empty for unused bits
  unsigned ip = 0, sp = 0;                  // bits of the program counter and the stack pointer
  u64 default_mask = 0;                     // what record --call-graph dwarf and --user-regs sample (64-bit processes)
  u64 vector_mask = 0;                      // wide registers that some PMUs add to precise samples
};

const RegisterTable& register_table(Arch arch);
// "AX", "x29", …; empty if the architecture has no such register.
std::string_view register_name(Arch arch, unsigned bit);

}  // namespace peregrine::abi
