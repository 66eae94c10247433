// DwarfUnit: one unit with what its attributes refer to: abbreviations, text, addresses and range lists.
//
// For split DWARF the skeleton lies in the program's file and this in a .dwo or .dwp; addresses then come from the
// skeleton. Light to copy; borrows the files.
#pragma once
#include <optional>
#include <string_view>
#include <vector>

#include "symbol/dwarf/dwarf_file.h"

namespace peregrine {

struct AddressRange {
  u64 begin = 0;
  u64 end = 0;
};

// Where a variable is while the instruction pointer lies in the range: a DWARF expression, borrowed from the unit.
struct LocationEntry {
  AddressRange range;
  Bytes expression;
};

// What the first entry of a unit says.
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

  // Reads the first entry and takes the bases that other attributes need. With `only_root` no other entry can be read
  // afterwards, and no whole abbreviation table is read for it.
  bool open(UnitRoot& root, bool only_root = false);
  // Before open(), for a unit of split DWARF: its skeleton, and its parts of the sections of a .dwp.
  void set_skeleton(const DwarfUnit& skeleton, const UnitRoot& root);
  void set_section(DebugSection kind, const DwarfSection& part) { sections_[static_cast<std::size_t>(kind)] = part; }

  // Kept as long as the file. `alternative`: what dwz moved out, or nullptr.
  std::string_view text(const FormValue& value, const DwarfFile* alternative) const;
  std::optional<u64> address(const FormValue& value) const;
  // Appends the ranges of an entry with these attributes, leaving out empty ones and those without code.
  void add_ranges(std::optional<u64> low_pc, const std::optional<FormValue>& high_pc,
                  const std::optional<FormValue>& ranges, std::vector<AddressRange>& out) const;
  // The entries of a location list, in its order; `buffer` holds their expressions. A default entry covers everything.
  std::vector<LocationEntry> locations(const FormValue& value, std::vector<std::byte>& buffer) const;
  // The address with that index in .debug_addr, as expressions name addresses.
  std::optional<u64> indexed_address(u64 index) const;
  // Offset in the file's entries, for references within this file.
  std::optional<u64> reference(const FormValue& value) const;

 private:
  void read_root(ByteReader& reader, const AbbreviationTable& table, const Abbreviation& abbreviation, UnitRoot& root);
  std::optional<u64> location_list(const FormValue& value) const;
  void add_range_list(u64 offset, std::vector<AddressRange>& out) const;      // DWARF 5
  void add_old_range_list(u64 offset, std::vector<AddressRange>& out) const;  // before
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
