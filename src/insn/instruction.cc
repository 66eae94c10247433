#include "insn/instruction.h"

#include <elf.h>

namespace peregrine {

std::string_view isa_name(Isa isa) {
  switch (isa) {
    case Isa::X86_64:
      return "x86-64";
    case Isa::I386:
      return "i386";
    case Isa::Arm64:
      return "arm64";
    case Isa::Arm:
    case Isa::Thumb:
      return "arm";
    case Isa::Mips:
    case Isa::Mips64:
      return "MIPS";
    case Isa::Ppc:
    case Isa::Ppc64:
      return "PowerPC";
    case Isa::Sparc:
      return "SPARC";
    case Isa::S390:
      return "s390";
    case Isa::Unknown:
      break;
  }
  return "unknown";
}

Isa isa_of_elf(u16 machine, bool is_64) {
  switch (machine) {
    case EM_X86_64:
      return Isa::X86_64;  // includes x32, which has 64-bit code
    case EM_386:
      return Isa::I386;
    case EM_AARCH64:
      return Isa::Arm64;
    case EM_ARM:
      return Isa::Arm;
    case EM_MIPS:
      return is_64 ? Isa::Mips64 : Isa::Mips;
    case EM_PPC:
      return Isa::Ppc;
    case EM_PPC64:
      return Isa::Ppc64;
    case EM_SPARC:
    case EM_SPARCV9:
      return Isa::Sparc;
    case EM_S390:
      return Isa::S390;
    default:
      return Isa::Unknown;
  }
}

Isa isa_of_arch(std::string_view name) {
  if (name == "x86_64") return Isa::X86_64;
  if (name == "i386" || name == "i686") return Isa::I386;
  if (name == "aarch64") return Isa::Arm64;
  if (name.starts_with("arm")) return Isa::Arm;
  if (name.starts_with("ppc64")) return Isa::Ppc64;
  if (name == "s390x") return Isa::S390;
  return Isa::Unknown;
}

}  // namespace peregrine
