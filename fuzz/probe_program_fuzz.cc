// A program's debug information as used by probes: entries, variables with their locations and types, lines, SDT notes.
#include <cstddef>
#include <utility>

#include "base/bytes.h"
#include "base/result.h"
#include "input.h"
#include "probe/argument/variable_finder.h"
#include "probe/definition/definition.h"
#include "probe/point/place_text.h"
#include "probe/point/point_finder.h"
#include "probe/point/source_text.h"
#include "probe/registry/sdt_note.h"
#include "symbol/cfi/cfi_table.h"
#include "symbol/cfi/compile_cfi.h"
#include "symbol/dwarf/debug_entries.h"
#include "symbol/elf/elf_file.h"

void peregrine::fuzz_probe_program(Bytes bytes) {
  Result<ElfFile> file = ElfFile::from_bytes({bytes.begin(), bytes.end()}, "input");
  Result<ElfFile> runtime = ElfFile::from_bytes({bytes.begin(), bytes.end()}, "input");
  if (!file || !runtime) return;
  std::size_t used = 0;
  for (const SdtNote& note : read_sdt_notes(*file))
    if (const auto probe = sdt_probe(note, *file, "/input")) used += probe->format().size();
  const auto information = DebugInformation::open(std::move(*file));
  if (!information) return;
  const CfiTable frames = compile_cfi(*runtime);
  const VariableFinder variables(**information, *runtime, frames, {});
  SourceFinder sources;
  ProbePlace place;
  place.function = "*";
  const auto points = PointFinder(**information, sources, {.wants_variables = true, .most = 32}).find(place);
  if (!points) return;
  for (const ProbePoint& point : *points) {
    used += place_text(**information, point.address, false).size();
    for (const ShownVariable& row : variables.shown(point, {.externals = true, .ranges = true}))
      used += row.type.size();
    ProbeArgument all;
    all.variable = "$vars";
    for (ProbeArgument& one : variables.expand(all, point)) {
      one.fields.push_back({.name = "next", .arrow = true, .index = {}});
      if (const auto fetched = variables.fetch(one, point)) used += fetched->value.size();
    }
  }
  place.has_line = true;
  place.line = 1;
  if (const auto lines = PointFinder(**information, sources, {}).find(place)) used += lines->size();
  static_cast<void>(used);
}
