#include "probe/point/line_walk.h"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <vector>

#include "base/types.h"
#include "symbol/dwarf/dwarf_constants.h"
#include "symbol/dwarf/dwarf_unit.h"
#include "symbol/dwarf/line_table.h"

namespace peregrine {
namespace {

bool has_nested_functions(DwarfTag tag) {
  switch (tag) {
    case DwarfTag::CompileUnit:
    case DwarfTag::PartialUnit:
    case DwarfTag::Namespace:
    case DwarfTag::ClassType:
    case DwarfTag::StructureType:
    case DwarfTag::UnionType:
      return true;
    default:
      return false;
  }
}

constexpr unsigned kDeepestImport = 64;  // in hostile files shared parts may import each other

void walk_functions_below(DebugEntry entry, unsigned depth, const std::function<void(DebugEntry)>& visit) {
  if (depth > kDeepestImport) return;
  for (const DebugEntry child : entry.children()) {
    if (child.tag() == DwarfTag::Subprogram)
      visit(child);
    else if (has_nested_functions(child.tag()))
      walk_functions_below(child, depth + 1, visit);
    else if (child.tag() == DwarfTag::ImportedUnit)
      if (const DebugEntry shared = child.target(DwarfAttribute::Import))
        walk_functions_below(shared, depth + 1, visit);
  }
}

// Visits the calls of inlined functions below `entry`. `nested`: also visits the calls inside those, and their first
// lines.
void walk_calls(DebugEntry entry, bool nested, const LineVisit& visit) {
  for (const DebugEntry child : entry.children()) {
    if (child.tag() == DwarfTag::InlinedSubroutine) {
      const auto address = child.entry_address();
      if (address && child.call_line() != 0) visit(child.call_file(), child.call_line(), *address);
      if (!nested) continue;
      if (address && child.declaration_line() != 0) visit(child.declaration_file(), child.declaration_line(), *address);
      walk_calls(child, nested, visit);
    } else if (child.tag() == DwarfTag::LexicalBlock) {
      walk_calls(child, nested, visit);
    }
  }
}

void walk_function_starts(DebugEntry function, bool nested, const LineVisit& visit) {
  const auto entry = function.entry_address();
  if (entry && function.declaration_line() != 0)
    visit(function.declaration_file(), function.declaration_line(), *entry);
  walk_calls(function, nested, visit);
}

template <class Visit>  // void(const LineTable::Row&)
void walk_rows(const EntryUnit& unit, const Visit& visit) {
  for (const LineTable::Row& row : unit.lines().rows())
    if (row.file != LineTable::kNoFile && row.line != 0 && row.is_statement != 0) visit(row);
}

}  // namespace

void walk_unit_lines(const EntryUnit& unit, const LineVisit& visit) {
  walk_rows(unit, [&](const LineTable::Row& row) { visit(unit.file_path(row.file), row.line, row.address); });
  walk_functions(unit, [&](DebugEntry function) { walk_function_starts(function, true, visit); });
}

void walk_function_lines(DebugEntry function, const LineVisit& visit) {
  const EntryUnit& unit = function.unit();
  const std::vector<AddressRange> ranges = function.ranges();
  walk_rows(unit, [&](const LineTable::Row& row) {
    const bool inside = std::ranges::any_of(
        ranges, [&](const AddressRange& r) { return row.address >= r.begin && row.address < r.end; });
    if (!inside) return;
    const std::string& file = unit.file_path(row.file);
    const DebugEntry inner = inlined_at(function, row.address);
    if (inner && !(inner.call_line() == row.line && inner.call_file() == file) &&
        (inner.declaration_line() != function.declaration_line() ||
         inner.declaration_file() != function.declaration_file()))
      return;
    visit(file, row.line, row.address);
  });
  walk_function_starts(function, false, visit);
}

void walk_functions(const EntryUnit& unit, const std::function<void(DebugEntry)>& visit) {
  walk_functions_below(unit.root(), 0, visit);
}

void walk_instances(const EntryUnit& unit, DebugEntry abstract, const std::function<void(DebugEntry)>& visit) {
  const std::function<void(DebugEntry)> walk = [&](DebugEntry entry) {
    for (const DebugEntry child : entry.children()) {
      const DwarfTag tag = child.tag();
      const bool code = tag == DwarfTag::InlinedSubroutine || tag == DwarfTag::Subprogram;
      if (code && child != abstract && child.root() == abstract && child.entry_address()) visit(child);
      if (code || tag == DwarfTag::LexicalBlock || has_nested_functions(tag)) walk(child);
    }
  };
  walk(unit.root());
}

DebugEntry function_at(const EntryUnit& unit, u64 address) {
  DebugEntry found;
  walk_functions(unit, [&](DebugEntry function) {
    if (!found && function.covers(address)) found = function;
  });
  return found;
}

DebugEntry inlined_at(DebugEntry function, u64 address) {
  DebugEntry found;
  std::function<void(DebugEntry)> walk = [&](DebugEntry entry) {
    for (const DebugEntry child : entry.children()) {
      const DwarfTag tag = child.tag();
      if (tag != DwarfTag::InlinedSubroutine && tag != DwarfTag::LexicalBlock) continue;
      if (!child.covers(address)) continue;
      if (tag == DwarfTag::InlinedSubroutine) found = child;
      return walk(child);
    }
  };
  walk(function);
  return found;
}

u64 end_of_prologue(DebugEntry function, u64 entry) {
  const std::vector<AddressRange> ranges = function.ranges();
  const auto own =
      std::ranges::find_if(ranges, [&](const AddressRange& r) { return entry >= r.begin && entry < r.end; });
  if (own == ranges.end()) return entry;
  const std::vector<LineTable::Row>& rows = function.unit().lines().rows();
  const auto first = std::ranges::lower_bound(rows, entry, {}, &LineTable::Row::address);
  const auto inside = [&](auto row) { return row != rows.end() && row->address < own->end; };
  for (auto row = first; inside(row); ++row)
    if (row->ends_prologue != 0) return row->address;
  // Without a marker, the prologue ends where the second line of the function begins.
  for (auto row = first; inside(row); ++row)
    if (row->address > entry && row->is_statement != 0) return row->address;
  return entry;
}

bool is_optimized(DebugEntry function) {
  const std::string_view producer = function.unit().root().text(DwarfAttribute::Producer);
  if (!producer.starts_with("GNU")) return function.flag(DwarfAttribute::GnuAllCallSites);
  const std::size_t option = producer.rfind("-O");
  return option != std::string_view::npos && !producer.substr(option).starts_with("-O0");
}

LineOwners::LineOwners(const EntryUnit& unit) : unit_(unit) {
  walk_functions(unit, [&](DebugEntry function) {
    const auto entry = function.entry_address();
    if (entry && function.declaration_line() != 0)
      starts_.try_emplace(*entry, Start{function.declaration_file(), function.declaration_line()});
  });
}

LineOwners::Line LineOwners::find(u64 address) const {
  const auto start = starts_.find(address);
  if (start != starts_.end()) return {&start->second.file, start->second.line};
  const LineTable::Row* row = line_row_at(unit_, address);
  return row == nullptr ? Line() : Line{&unit_.file_path(row->file), row->line};
}

const LineTable::Row* line_row_at(const EntryUnit& unit, u64 address) {
  const std::vector<LineTable::Row>& rows = unit.lines().rows();
  for (auto row = std::ranges::lower_bound(rows, address, {}, &LineTable::Row::address);
       row != rows.end() && row->address == address; ++row)
    if (row->is_statement != 0 && row->file != LineTable::kNoFile) return &*row;
  return unit.lines().find(address);
}

}  // namespace peregrine
