// Debug information in several files: a program with its .dwp package, its .dwo file, or the file that dwz moved data
// to.
//
// An input is the size of the program (4 bytes), the program, and the other file, which is placed wherever the program
// may look for it. Lines, names, variables and types are read.

#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/data_type/fixed_variables.h"
#include "analysis/data_type/placed_variables.h"
#include "analysis/data_type/thread_variables.h"
#include "analysis/data_type/type_layout.h"
#include "base/bytes.h"
#include "base/result.h"
#include "base/types.h"
#include "input.h"
#include "probe/type/dwarf_types.h"
#include "probe/type/type_source.h"
#include "scratch_folder.h"
#include "spread_addresses.h"
#include "symbol/dwarf/debug_entries.h"
#include "symbol/dwarf/dwarf_constants.h"
#include "symbol/dwarf/source_lines.h"
#include "symbol/elf/elf_file.h"
#include "symbol/table/symbol_table.h"

namespace peregrine {
namespace {

constexpr unsigned kMostEntries = 2000, kDeepest = 64;  // of a unit

std::size_t read_lines(ElfFile file, const SourceSearch& search) {
  std::vector<u64> addresses;
  add_spread_addresses(file, 32, 512, addresses);
  const auto lines = SourceLines::open(std::move(file), search);
  if (!lines) return 0;
  std::vector<SourceFrame> frames;
  std::size_t used = 0;
  for (const u64 address : addresses) {
    frames.clear();
    (*lines)->frames(address, frames);
    for (const SourceFrame& frame : frames) used += frame.function.size() + (*lines)->file_path(frame.at.file).size();
    used += (*lines)->rows(address, address + 64).size();
  }
  return used;
}

// The queries that data type analyses make about entries.
class EntryWalk {
 public:
  EntryWalk(const EntryUnit& unit, u16 machine) : types_(unit), machine_(machine) {}

  std::size_t walk(DebugEntry entry, unsigned depth = 0) {
    if (left_ == 0 || depth > kDeepest) return 0;
    --left_;
    std::size_t used = entry.name().size() + entry.linkage_name().size() + entry.ranges().size() +
                       entry.declaration_file().size() + entry.call_file().size() + entry.declaration_line();
    if (entry.entry_address() && entry.covers(*entry.entry_address())) ++used;
    used += entry.expression_ranges(DwarfAttribute::Location).size();
    if (const auto place = entry.expression(DwarfAttribute::Location, 0x401000)) used += place->size();
    if (const DebugEntry type = entry.type()) used += read_type(DwarfTypes::ref(type));
    if (entry.tag() == DwarfTag::Subprogram) used += read_function(entry);
    for (const DebugEntry child : entry.children()) used += walk(child, depth + 1);
    return used;
  }

 private:
  std::size_t read_type(TypeRef type) {
    std::size_t used = types_.text(type).size() + types_.shape(type).name.size();
    for (const TypeMember& member : types_.members(type)) used += member.name.size();
    if (layouts_ == 0) return used;
    --layouts_;
    for (const LayoutRow& row : type_layout(type)) used += row.type.size() + row.name.size();
    return used;
  }
  std::size_t read_function(DebugEntry function) {
    if (functions_ == 0) return 0;
    --functions_;
    const PlacedVariables variables = PlacedVariables::of(function, machine_);
    return variables.at(function.entry_address().value_or(0)).size();
  }

  DwarfTypes types_;
  u16 machine_;
  unsigned left_ = kMostEntries, layouts_ = 64, functions_ = 64;
};

std::size_t read_types(ElfFile file, const SourceSearch& search) {
  auto symbols = load_elf_symbols(file, ElfAddresses::Virtual);
  const SymbolTable table = symbols ? std::move(*symbols) : SymbolTable();
  const auto information = DebugInformation::open(std::move(file), search);
  if (!information) return 0;
  const u16 machine = (*information)->file().machine();
  std::size_t used = 0;
  unsigned units = 8;
  (*information)->each_unit([&](const EntryUnit& unit) {
    used += EntryWalk(unit, machine).walk(unit.root());
    if (const auto fixed = FixedVariables(unit, table).find(0x404000)) used += fixed->begin != 0;
    return --units == 0 ? DebugInformation::Visit::KeepAndStop : DebugInformation::Visit::Drop;
  });
  if (const EntryUnit* const unit = (*information)->unit_covering((*information)->file().entry()))
    used += unit->root().children().size();
  if (const auto variable = ThreadVariables(**information).find(-8)) used += variable->size != 0;
  return used;
}

}  // namespace

void fuzz_split_debug(Bytes bytes) {
  static const ScratchFolder folder;
  ByteReader reader(bytes, ByteOrder::Little);
  const Bytes program = reader.take(reader.get32());
  const std::string_view other = as_text(reader.rest());
  if (program.empty()) return;
  for (const char* const name : {"program.dwp", "program.dwo", "shared.debug"}) folder.put(name, other);
  const SourceSearch search{
      .dso_path = folder.path() + "/program", .symfs = folder.path(), .debug_folder = folder.path()};
  std::size_t used = 0;
  if (Result<ElfFile> file = ElfFile::from_bytes({program.begin(), program.end()}, search.dso_path))
    used += read_lines(std::move(*file), search);
  if (Result<ElfFile> file = ElfFile::from_bytes({program.begin(), program.end()}, search.dso_path))
    used += read_types(std::move(*file), search);
  static_cast<void>(used);
}

}  // namespace peregrine
