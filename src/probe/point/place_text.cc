#include "probe/point/place_text.h"

#include <fmt/format.h>

#include "base/types.h"
#include "probe/point/line_walk.h"
#include "symbol/dwarf/dwarf_constants.h"
#include "symbol/dwarf/line_table.h"

namespace peregrine {
std::string place_text(const DebugInformation& information, u64 address, bool is_return) {
  const EntryUnit* unit = information.unit_covering(address);
  if (unit == nullptr) return {};
  DebugEntry function = function_at(*unit, address);
  if (!function) return {};
  const u64 entry = function.entry_address().value_or(address);
  const std::string name(function.name());
  if (address == entry) return fmt::format("{}{}@{}", name, is_return ? "%return" : "", function.declaration_file());
  const LineTable::Row* row = line_row_at(*unit, address);
  std::string file = row == nullptr ? std::string() : unit->file_path(row->file);
  u32 line = row == nullptr ? 0 : row->line;
  // Walks inwards through the inlined functions. At its first instruction, an inlined function still counts as a call
  // in the surrounding one.
  for (DebugEntry around = function;;) {
    DebugEntry next;
    for (DebugEntry at = inlined_at(function, address); at && at != around; at = at.parent())
      if (at.tag() == DwarfTag::InlinedSubroutine) next = at;
    if (!next) break;
    if (next.entry_address() == address) {
      file = next.call_file();
      line = next.call_line();
      break;
    }
    around = function = next;
  }
  if (line != 0 && file == function.declaration_file() && line >= function.declaration_line())
    return fmt::format("{}:{}@{}", function.name(), line - function.declaration_line(), file);
  return fmt::format("{}+{}@{}", name, address - entry, file);
}

std::string place_text(const SymbolTable& symbols, u64 dso_address, bool is_return) {
  const auto symbol = symbols.find(dso_address);
  if (!symbol) return {};
  if (symbol->start == dso_address) return symbol->name + (is_return ? "%return" : "");
  return fmt::format("{}+{}", symbol->name, dso_address - symbol->start);
}

}  // namespace peregrine
