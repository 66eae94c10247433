// SDT markers: trace points declared by a program's author, in .note.stapsdt, with their arguments.
//
// Arguments are assembler operands ("-4@%ebx 8@-16(%rbp) 1@$5"), which are converted to the kernel's fetch syntax.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/types.h"
#include "probe/definition/trace_probe.h"
#include "symbol/elf/elf_file.h"

namespace peregrine {

struct SdtNote {
  std::string provider, name, arguments;
  u64 location = 0;   // virtual address of the marker
  u64 semaphore = 0;  // address of the counter that enables it; 0: none
};

// The notes of a file in file order; invalid ones are skipped.
std::vector<SdtNote> read_sdt_notes(const ElfFile& file);
// The probe for a marker; nullopt if no code is loaded at its address.
std::optional<TraceProbe> sdt_probe(const SdtNote& note, const ElfFile& file, const std::string& path);
// One argument, numbered from 1; nullopt if the kernel's fetch syntax cannot express it (an index register).
std::optional<TraceArgument> sdt_argument(std::string_view operand, unsigned number, u16 machine);

}  // namespace peregrine
