// A binary's debug information: unit headers, abbreviations, range lists, line programs, the walk over its entries.
#include <cstddef>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "base/types.h"
#include "input.h"
#include "spread_addresses.h"
#include "symbol/dwarf/source_lines.h"
#include "symbol/elf/elf_file.h"

void peregrine::fuzz_source_lines(Bytes bytes) {
  Result<ElfFile> file = ElfFile::from_bytes({bytes.begin(), bytes.end()}, "input");
  if (!file) return;
  std::vector<u64> addresses{0};
  add_spread_addresses(*file, 64, 4096, addresses);
  const auto lines = SourceLines::open(std::move(*file));
  if (!lines) return;
  std::vector<SourceFrame> frames;
  std::size_t used = 0;
  for (const u64 address : addresses) {
    frames.clear();
    (*lines)->frames(address, frames);
    for (const SourceFrame& frame : frames) used += frame.function.size() + (*lines)->file_path(frame.at.file).size();
    used += (*lines)->find(address).line;
    used += (*lines)->rows(address, address + 256).size();
  }
  static_cast<void>(used);
}
