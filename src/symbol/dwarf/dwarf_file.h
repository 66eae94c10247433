// DwarfFile: the debug sections, units and abbreviation tables of one ELF file (program, .dwo, .dwp, or dwz
// supplement). Reads each at most once. Thread safe.
#pragma once
#include <array>
#include <atomic>
#include <cstddef>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "base/types.h"
#include "symbol/dwarf/abbreviation.h"
#include "symbol/dwarf/dwarf_constants.h"
#include "symbol/dwarf/dwarf_section.h"
#include "symbol/dwarf/form.h"
#include "symbol/elf/elf_file.h"

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
  u64 end = 0;      // the first byte after it
  u64 abbreviations = 0;
  u64 dwo_id = 0;  // of a skeleton or split unit of DWARF 5
  UnitFormat format;
  DwarfUnitType type = DwarfUnitType::Compile;
};

class DwarfFile {
 public:
  enum class Sections { Plain, Split };  // Split: the .dwo sections
  DwarfFile(ElfFile file, Sections which);
  DwarfFile(const DwarfFile&) = delete;
  DwarfFile& operator=(const DwarfFile&) = delete;

  const ElfFile& elf() const { return file_; }
  ByteOrder order() const { return file_.order(); }
  const DwarfSection& section(DebugSection kind) const { return sections_[static_cast<std::size_t>(kind)]; }

  // All units by offset; an invalid header hides the units after it.
  const std::vector<UnitHeader>& units() const;
  // The unit that contains the entry at `offset`; nullptr if none.
  const UnitHeader* unit_at(u64 offset) const;
  // nullptr if unreadable. `section`: the whole section, or the unit's part of a .dwp.
  const AbbreviationTable* abbreviations(const UnitHeader& unit, const DwarfSection& section) const;
  // A table that contains at least `code`.
  std::optional<AbbreviationTable> abbreviations_for(const UnitHeader& unit, const DwarfSection& section,
                                                     u64 code) const;

  // Text of a section; lives as long as the file.
  std::string_view text(const DwarfSection& section, u64 offset) const;
  std::string_view keep(std::string_view text) const;
  // Whether `count` more address ranges may be kept. Entries may share range lists. If they share more than a compiler
  // would produce, the file is hostile: the ranges would take memory quadratic in the file's size.
  bool take_ranges(std::size_t count) const;
  // Whether `address` can be code: it is in an executable segment, or the file has none.
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
  mutable std::atomic<u64> ranges_taken_ = 0;
};

// Parses the header at `offset`; Malformed if invalid.
Result<UnitHeader> read_unit_header(const DwarfFile& file, u64 offset);

}  // namespace peregrine
