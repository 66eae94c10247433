// DwarfUnit: one unit together with what its attributes refer to: abbreviations, text, addresses and range lists.
//
// With split DWARF the skeleton unit is in the program's file, this unit is in a .dwo or .dwp, and its addresses come
// from the skeleton. Cheap to copy; borrows the files.
#pragma once
#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/types.h"
#include "symbol/dwarf/abbreviation.h"
#include "symbol/dwarf/dwarf_constants.h"
#include "symbol/dwarf/dwarf_file.h"
#include "symbol/dwarf/dwarf_section.h"
#include "symbol/dwarf/form.h"
#include "symbol/expression/variable_location.h"

namespace peregrine {

struct AddressRange {
  u64 begin = 0;
  u64 end = 0;
};

// A variable's location while the pc is in `range`: a DWARF expression, borrowed from the unit.
struct LocationEntry {
  AddressRange range;
  Bytes expression;
};

// Attributes of a unit's first entry.
struct UnitRoot {
  DwarfTag tag{};
  std::optional<u64> low_pc;
  std::optional<FormValue> high_pc, ranges;
  std::optional<u64> lines;  // offset of its line program
  std::string_view compilation_folder, dwo_name;
  u64 dwo_id = 0;
  bool is_skeleton() const { return !dwo_name.empty(); }
};

class DwarfUnit {
 public:
  // A unit of a whole file.
  DwarfUnit(const DwarfFile& file, const UnitHeader& header);

  const DwarfFile& file() const { return *file_; }
  const UnitHeader& header() const { return header_; }
  const AbbreviationTable* abbreviations() const { return table_; }
  const DwarfSection& section(DebugSection kind) const { return sections_[static_cast<std::size_t>(kind)]; }

  // Reads the first entry and the section bases that other attributes need. With `only_root` the abbreviation table is
  // not read whole, and no other entry can be read afterwards.
  bool open(UnitRoot& root, bool only_root = false);
  // For split DWARF, before open(): sets its skeleton and its parts of a .dwp's sections.
  void set_skeleton(const DwarfUnit& skeleton, const UnitRoot& root);
  void set_section(DebugSection kind, const DwarfSection& part) { sections_[static_cast<std::size_t>(kind)] = part; }

  // Lives as long as the file. `alternative`: the dwz supplement, or nullptr.
  std::string_view text(const FormValue& value, const DwarfFile* alternative) const;
  std::optional<u64> address(const FormValue& value) const;
  // Appends an entry's ranges, except empty ones and those outside code.
  void add_ranges(std::optional<u64> low_pc, const std::optional<FormValue>& high_pc,
                  const std::optional<FormValue>& ranges, std::vector<AddressRange>& out) const;
  // Entries of a location list, in order; `buffer` holds their expressions. A default entry covers everything.
  std::vector<LocationEntry> locations(const FormValue& value, std::vector<std::byte>& buffer) const;
  // The .debug_addr entry with that index, as used in expressions.
  std::optional<u64> indexed_address(u64 index) const;
  // For expressions of this unit, which must outlive the context; callers add what depends on the function.
  LocationContext location_context() const;
  // Offset in the file's .debug_info, for references within this file.
  std::optional<u64> reference(const FormValue& value) const;

 private:
  void read_root(ByteReader& reader, const AbbreviationTable& table, const Abbreviation& abbreviation, UnitRoot& root);
  std::optional<u64> location_list(const FormValue& value) const;
  void add_listed_ranges(const FormValue& ranges, std::vector<AddressRange>& out) const;
  void add_range_list(u64 offset, std::vector<AddressRange>& out) const;      // DWARF 5
  void add_old_range_list(u64 offset, std::vector<AddressRange>& out) const;  // before DWARF 5
  void add_range(u64 begin, u64 end, std::vector<AddressRange>& out) const;

  const DwarfFile* file_;
  const DwarfFile* address_file_;  // the program's own
  UnitHeader header_;
  const AbbreviationTable* table_ = nullptr;
  std::array<DwarfSection, static_cast<std::size_t>(DebugSection::Count)> sections_;
  u64 text_offsets_base_ = 0, addresses_base_ = 0, range_lists_base_ = 0, old_ranges_base_ = 0;
  u64 location_lists_base_ = 0;
  u64 low_pc_ = 0;
  bool split_ = false;
};

}  // namespace peregrine
