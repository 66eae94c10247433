// A binary: its sections, notes and symbol tables.
#include "base/bytes.h"
#include "base/result.h"
#include "input.h"
#include "symbol/elf/elf_file.h"

void peregrine::fuzz_elf_file(Bytes bytes) {
  const Result<ElfFile> file = ElfFile::from_bytes({bytes.begin(), bytes.end()}, "input");
  if (!file) return;
  for (const ElfAddresses addresses : {ElfAddresses::FileOffset, ElfAddresses::Virtual})
    if (!load_elf_symbols(*file, addresses)) return;
}
