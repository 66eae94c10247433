// Debug information in several files: a program with its .dwp package, its .dwo file, or what dwz moved out of it.
//
// An input is the size of the program (4 bytes), the program, and the other file, which lies wherever the program may
// look for it.
#include "input.h"
#include "scratch_folder.h"
#include "spread_addresses.h"
#include "symbol/dwarf/source_lines.h"

void peregrine::fuzz_split_debug(Bytes bytes) {
  static const ScratchFolder folder;
  ByteReader reader(bytes, ByteOrder::Little);
  const Bytes program = reader.take(reader.get32());
  const std::string_view other = as_text(reader.rest());
  if (program.empty()) return;
  for (const char* const name : {"program.dwp", "program.dwo", "shared.debug"}) folder.put(name, other);
  Result<ElfFile> file = ElfFile::from_bytes({program.begin(), program.end()}, folder.path() + "/program");
  if (!file) return;
  std::vector<u64> addresses;
  add_spread_addresses(*file, 32, 512, addresses);
  const SourceSearch search{
      .dso_path = folder.path() + "/program", .symfs = folder.path(), .debug_folder = folder.path()};
  const auto lines = SourceLines::open(std::move(*file), search);
  if (!lines) return;
  std::vector<SourceFrame> frames;
  std::size_t used = 0;
  for (const u64 address : addresses) {
    frames.clear();
    (*lines)->frames(address, frames);
    for (const SourceFrame& frame : frames) used += frame.function.size() + (*lines)->file_path(frame.at.file).size();
    used += (*lines)->rows(address, address + 64).size();
  }
  static_cast<void>(used);
}
