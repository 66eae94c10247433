#include "data/header/recorded_arch.h"

#include "data/feature/features.h"

namespace peregrine::data {

abi::Arch recorded_arch(const Features& features) {
  if (features.arch) return abi::arch_of(*features.arch);
  return features.elf_machine ? abi::arch_of_elf(features.elf_machine->machine) : abi::kHostArch;
}

}  // namespace peregrine::data
