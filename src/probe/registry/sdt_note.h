// SDT markers: places that a program's author marked as worth tracing, in .note.stapsdt, with what can be read there.
//
// The arguments are operands of the assembler ("-4@%ebx 8@-16(%rbp) 1@$5"), which become what the kernel fetches.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "probe/definition/trace_probe.h"
#include "symbol/elf/elf_file.h"

namespace peregrine {

struct SdtNote {
  std::string provider, name, arguments;
  u64 location = 0;   // virtual address of the marker
  u64 semaphore = 0;  // of the counter that switches it on; 0 for none
};

// Those of a file, in its order; notes that make no sense are left out.
std::vector<SdtNote> read_sdt_notes(const ElfFile& file);
// The probe of a marker; nothing when no code is loaded there.
std::optional<TraceProbe> sdt_probe(const SdtNote& note, const ElfFile& file, const std::string& path);
// One argument, numbered from 1; nothing when it is more than a fetch of the kernel can say (an index register).
std::optional<TraceArgument> sdt_argument(std::string_view operand, unsigned number, u16 machine);

}  // namespace peregrine
