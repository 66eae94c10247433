// DwarfFile: the debug sections of one ELF file (the program's, a .dwo, a .dwp, or what dwz moved out), with its units
// by offset and its abbreviation tables, each read at most once. Thread safe.
#pragma once
#include <array>
#include <deque>
#include <map>
#include <memory>
#include <mutex>

#include "symbol/dwarf/abbreviation.h"
#include "symbol/dwarf/dwarf_section.h"

namespace peregrine {

enum class DebugSection : u8 {
  Entries,        // .debug_info
  Abbreviations,  // .debug_abbrev
  Lines,
  Text,           // .debug_str
  LineText,       // .debug_line_str
  TextOffsets,    // .debug_str_offsets
  Addresses,      // .debug_addr
  Ranges,         // .debug_ranges
  RangeLists,     // .debug_rnglists
  OldLocations,   // .debug_loc
  Locations,      // .debug_loclists
  AddressRanges,  // .debug_aranges
  UnitIndex,      // .debug_cu_index of a .dwp
  Count,
};

struct UnitHeader {
  u64 offset = 0;   // in Entries
  u64 entries = 0;  // offset of its first entry
  u64 end = 0;      // first byte behind it
  u64 abbreviations = 0;
  u64 dwo_id = 0;  // of a skeleton or split unit of DWARF 5
  UnitFormat format;
  DwarfUnitType type = DwarfUnitType::Compile;
};

class DwarfFile {
 public:
  enum class Sections { Plain, Split };  // Split: those named .dwo
  DwarfFile(ElfFile file, Sections which);
  DwarfFile(const DwarfFile&) = delete;
  DwarfFile& operator=(const DwarfFile&) = delete;

  const ElfFile& elf() const { return file_; }
  ByteOrder order() const { return file_.order(); }
  const DwarfSection& section(DebugSection kind) const { return sections_[static_cast<std::size_t>(kind)]; }

  // All units, ascending by offset; those behind one that makes no sense are lost.
  const std::vector<UnitHeader>& units() const;
  // The unit whose entries hold that offset; nullptr when there is none.
  const UnitHeader* unit_at(u64 offset) const;
  // nullptr when it cannot be read. `section` is the whole one, or the unit's part of a .dwp.
  const AbbreviationTable* abbreviations(const UnitHeader& unit, const DwarfSection& section) const;
  // A table that has `code`, perhaps no others.
  std::optional<AbbreviationTable> abbreviations_for(const UnitHeader& unit, const DwarfSection& section,
                                                     u64 code) const;

  // Text of a section, kept as long as the file.
  std::string_view text(const DwarfSection& section, u64 offset) const;
  std::string_view keep(std::string_view text) const;
  // Whether code may lie there: in an executable segment, where the file has any.
  bool has_code_at(u64 address) const;

 private:
  struct AbbreviationKey {
    u64 offset, section_start;
    u16 version;
    u8 address_size, offset_size;
    friend auto operator<=>(const AbbreviationKey&, const AbbreviationKey&) = default;
  };

  ElfFile file_;
  std::deque<SectionStorage> storages_;
  std::array<DwarfSection, static_cast<std::size_t>(DebugSection::Count)> sections_;
  std::vector<std::pair<u64, u64>> code_;  // executable segments
  mutable std::once_flag units_once_;
  mutable std::vector<UnitHeader> units_;
  mutable std::mutex mutex_;
  mutable std::map<AbbreviationKey, std::unique_ptr<AbbreviationTable>> abbreviations_;
  mutable std::deque<std::string> texts_;
};

// The header at `offset`; Malformed when it makes none.
Result<UnitHeader> read_unit_header(const DwarfFile& file, u64 offset);

}  // namespace peregrine
