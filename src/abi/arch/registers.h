// Register tables: what the bits of attr.sample_regs_user and _intr mean on each architecture, and in which order their
// values stand in a sample.
//
// Sources: arch/*/include/uapi/asm/perf_regs.h (numbers) and the names linux-perf prints. One table per file here.
#pragma once
#include <span>
#include <string_view>

#include "base/types.h"

namespace peregrine::abi {

enum class Arch { Unknown, X86, Arm, Arm64, Riscv, Powerpc, S390 };

// From uname(2)'s machine as in the ARCH feature: "x86_64", "i686", "aarch64", "armv7l", "riscv64", "ppc64le", "s390x".
Arch arch_of(std::string_view machine);
// From e_machine of ELF (EM_*), as in the E_MACHINE feature.
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
  std::span<const std::string_view> names;  // by bit; empty where the bit has no register
  unsigned ip = 0, sp = 0;                  // bits of the program counter and the stack pointer
  u64 default_mask = 0;                     // what record --call-graph dwarf and --user-regs ask for (64-bit processes)
  u64 vector_mask = 0;                      // wide registers that some PMUs give in precise samples
};

const RegisterTable& register_table(Arch arch);
// "AX", "x29", …; empty when the architecture has no such register.
std::string_view register_name(Arch arch, unsigned bit);

}  // namespace peregrine::abi
