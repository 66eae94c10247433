#include "abi/arch/registers.h"

#include <elf.h>

#include "abi/arch/tables.h"

namespace peregrine::abi {

Arch arch_of(std::string_view machine) {
  if (machine == "x86_64" || machine == "x86" ||
      (machine.size() == 4 && machine.front() == 'i' && machine.substr(2) == "86")) {
    return Arch::X86;
  }
  if (machine.starts_with("aarch64") || machine == "arm64") return Arch::Arm64;
  if (machine.starts_with("arm")) return Arch::Arm;
  if (machine.starts_with("riscv")) return Arch::Riscv;
  if (machine.starts_with("ppc") || machine.starts_with("powerpc")) return Arch::Powerpc;
  if (machine.starts_with("s390")) return Arch::S390;
  return Arch::Unknown;
}

Arch arch_of_elf(u32 machine) {
  // clang-format off
  switch (machine) {
    case EM_386:
    case EM_X86_64: return Arch::X86;
    case EM_ARM: return Arch::Arm;
    case EM_AARCH64: return Arch::Arm64;
    case EM_RISCV: return Arch::Riscv;
    case EM_PPC:
    case EM_PPC64: return Arch::Powerpc;
    case EM_S390: return Arch::S390;
    default: return Arch::Unknown;
  }
  // clang-format on
}

const RegisterTable& register_table(Arch arch) {
  static constexpr RegisterTable kNone;
  // clang-format off
  switch (arch) {
    case Arch::X86: return x86_registers();
    case Arch::Arm: return arm_registers();
    case Arch::Arm64: return arm64_registers();
    case Arch::Riscv: return riscv_registers();
    case Arch::Powerpc: return powerpc_registers();
    case Arch::S390: return s390_registers();
    case Arch::Unknown: break;
  }
  // clang-format on
  return kNone;
}

std::string_view register_name(Arch arch, unsigned bit) {
  const auto names = register_table(arch).names;
  return bit < names.size() ? names[bit] : std::string_view();
}

}  // namespace peregrine::abi
