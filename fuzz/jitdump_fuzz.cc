// Code dumped by a JIT compiler, and the ELF images made from it.
#include <algorithm>
#include <cstddef>
#include <utility>

#include "base/bytes.h"
#include "input.h"
#include "symbol/elf/elf_file.h"
#include "symbol/jit/jit_image.h"
#include "symbol/jit/jitdump.h"

void peregrine::fuzz_jitdump(Bytes bytes) {
  const auto dump = JitDump::from_bytes({bytes.begin(), bytes.end()}, "jit-1.dump");
  if (!dump) return;
  dump->symbols();
  constexpr std::size_t kImages = 16;
  for (std::size_t i = 0; i < std::min(kImages, dump->loads().size()); ++i) {
    auto file = ElfFile::from_bytes(jit_function_image(*dump, dump->loads()[i]).bytes, "jitted-1-0.so");
    if (file) static_cast<void>(load_elf_symbols(*file));
  }
  if (auto image = jit_dump_image(*dump)) static_cast<void>(ElfFile::from_bytes(std::move(*image), "jit-1.dump"));
}
