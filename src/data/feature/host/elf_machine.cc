#include "base/bytes.h"
#include "data/feature/codec.h"
#include "data/feature/features.h"

namespace peregrine::data {

// E_MACHINE: u32 e_machine, u32 e_flags of the ELF header.
bool decode_elf_machine(ByteReader& in, Features& features) {
  const ElfMachine machine{.machine = in.get32(), .flags = in.get32()};
  if (in.ok()) features.elf_machine = machine;
  return in.ok();
}

bool encode_elf_machine(const Features& features, ByteWriter& out) {
  if (!features.elf_machine) return false;
  out.put32(features.elf_machine->machine).put32(features.elf_machine->flags);
  return true;
}

}  // namespace peregrine::data
