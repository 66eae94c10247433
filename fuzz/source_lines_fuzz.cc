// A binary's debug information: unit headers, abbreviations, range lists, line programs, the walk over its entries.
#include "input.h"
#include "symbol/dwarf/source_lines.h"

void peregrine::fuzz_source_lines(Bytes bytes) {
  Result<ElfFile> file = ElfFile::from_bytes({bytes.begin(), bytes.end()}, "input");
  if (!file) return;
  std::vector<u64> addresses{0, file->entry()};
  for (const ElfSegment& segment : file->segments())
    for (u64 step = 0; step < 64; ++step) addresses.push_back(segment.address + step * (segment.memory_size / 64 + 1));
  addresses.resize(std::min<std::size_t>(addresses.size(), 4096));
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
