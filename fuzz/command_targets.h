// The targets that run whole commands on a mutated recording: one row per command family, one command line per way
// through it. The first byte of an input chooses the line, the rest is the recording.
//
// In a line, blanks separate arguments. "@in" becomes the recording's path, "@second" that of a second recording (the
// data from another magic number inside the input, otherwise the first recording again), "@out" an unused path,
// "@empty" an empty folder, "@fixtures" tests/fixtures, "@lines" fuzz/seeds/source_lines, "@kallsyms" a file with a few
// kernel symbols and "@scripts" a folder with scripts. Standard input is the recording too. The current folder is a
// scratch folder with the dump of a JIT compiler, jit-27494.dump.
#pragma once
#include <span>
#include <string_view>

#include "base/types.h"

namespace peregrine {

// What a line writes, to "@out" if it is named, else to stdout.
// Values: comma-separated rows; texts may contain commas too. Safe: no cell is a formula.
enum class Written : u8 {
  Text,
  Json,
  JsonLines,
  Csv,
  SafeCsv,
  Values,
  SafeValues,
  Xml,
  Page,
  Pprof,
  Ctf,
  Recording,
  Anything
};

struct CommandLine {
  std::string_view words;
  Written written = Written::Text;
};

struct CommandTarget {
  std::string_view name;
  std::span<const CommandLine> lines;
};

std::span<const CommandTarget> command_targets();
// nullptr: there is no target with that name.
const CommandTarget* find_command_target(std::string_view name);

}  // namespace peregrine
