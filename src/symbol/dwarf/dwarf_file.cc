#include "symbol/dwarf/dwarf_file.h"

#include <elf.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "base/types.h"
#include "symbol/dwarf/dwarf_constants.h"
#include "symbol/dwarf/form.h"
#include "symbol/elf/elf_file.h"

namespace peregrine {
namespace {

// Chromium has about 40,000; allowing more only lets hostile files take memory.
constexpr std::size_t kMostUnits = std::size_t{1} << 20;

constexpr std::array<std::string_view, static_cast<std::size_t>(DebugSection::Count)> kNames = {
    "info",   "abbrev",   "line", "str",      "line_str", "str_offsets", "addr",
    "ranges", "rnglists", "loc",  "loclists", "aranges",  "cu_index",
};

const ElfSection* find_debug_section(const ElfFile& file, std::string_view name, bool split) {
  for (const std::string_view prefix : {".debug_", ".zdebug_"}) {
    std::string full(prefix);
    full += name;
    if (split && name != "cu_index") full += ".dwo";
    if (const ElfSection* section = file.find_section(full)) return section;
  }
  return nullptr;
}

}  // namespace

DwarfFile::DwarfFile(ElfFile file, Sections which) : file_(std::move(file)) {
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    const ElfSection* section = find_debug_section(file_, kNames[i], which == Sections::Split);
    if (section == nullptr) continue;
    sections_[i] = DwarfSection(storages_.emplace_back(file_, *section));
  }
  for (const ElfSegment& segment : file_.segments()) {
    if (segment.type == PT_LOAD && (segment.flags & PF_X) != 0 && segment.memory_size != 0)
      code_.emplace_back(segment.address, segment.address + segment.memory_size);
  }
}

bool DwarfFile::has_code_at(u64 address) const {
  if (code_.empty()) return address < ~u64{0} - 1;
  return std::ranges::any_of(code_,
                             [&](const auto& range) { return address >= range.first && address < range.second; });
}

Result<UnitHeader> read_unit_header(const DwarfFile& file, u64 offset) {
  std::vector<std::byte> buffer;
  const DwarfSection& entries = file.section(DebugSection::Entries);
  ByteReader reader(entries.read(offset, 40, buffer), file.order());
  UnitHeader unit;
  unit.offset = offset;
  u64 length = reader.get32();
  if (length == 0xffffffff) {
    unit.format.offset_size = 8;
    length = reader.get64();
  }
  const auto get_offset = [&] { return unit.format.offset_size == 8 ? reader.get64() : reader.get32(); };
  const u64 start = offset + reader.offset();
  if (!reader.ok() || length > entries.size() - start)
    return fail(ErrorKind::Malformed, "{}: unit at {:#x} extends past the end of .debug_info", file.elf().name(),
                offset);
  unit.end = start + length;
  unit.format.version = reader.get16();
  if (unit.format.version >= 5) {
    unit.type = static_cast<DwarfUnitType>(reader.get8());
    unit.format.address_size = reader.get8();
    unit.abbreviations = get_offset();
    if (unit.type == DwarfUnitType::Skeleton || unit.type == DwarfUnitType::SplitCompile) unit.dwo_id = reader.get64();
    if (unit.type == DwarfUnitType::Type || unit.type == DwarfUnitType::SplitType) {
      reader.skip(8);
      get_offset();
    }
  } else {
    unit.abbreviations = get_offset();
    unit.format.address_size = reader.get8();
  }
  unit.entries = offset + reader.offset();
  if (!reader.ok() || unit.entries > unit.end)
    return fail(ErrorKind::Malformed, "{}: truncated unit header at {:#x} of .debug_info", file.elf().name(), offset);
  return unit;
}

const std::vector<UnitHeader>& DwarfFile::units() const {
  std::call_once(units_once_, [this] {
    const u64 size = section(DebugSection::Entries).size();
    for (u64 offset = 0; offset < size && units_.size() < kMostUnits;) {
      const auto unit = read_unit_header(*this, offset);
      if (!unit) break;
      offset = unit->end;
      const UnitFormat& format = unit->format;
      const bool known =
          format.version >= 2 && format.version <= 5 && (format.address_size == 4 || format.address_size == 8);
      if (known) units_.push_back(*unit);
    }
  });
  return units_;
}

const UnitHeader* DwarfFile::unit_at(u64 offset) const {
  const std::vector<UnitHeader>& all = units();
  const auto next = std::ranges::upper_bound(all, offset, {}, &UnitHeader::offset);
  if (next == all.begin()) return nullptr;
  const UnitHeader& unit = *std::prev(next);
  return offset >= unit.entries && offset < unit.end ? &unit : nullptr;
}

std::optional<AbbreviationTable> DwarfFile::abbreviations_for(const UnitHeader& unit, const DwarfSection& section,
                                                              u64 code) const {
  std::vector<std::byte> buffer;
  for (u64 window = code == 0 ? 16384 : 512;; window *= 8) {
    const Bytes bytes = section.read(unit.abbreviations, window, buffer);
    if (bytes.empty()) return std::nullopt;
    const bool complete = bytes.size() < window || unit.abbreviations + window >= section.size();
    auto table = AbbreviationTable::parse(bytes, order(), unit.format, complete, code);
    if (table || complete) return table;
  }
}

const AbbreviationTable* DwarfFile::abbreviations(const UnitHeader& unit, const DwarfSection& section) const {
  const AbbreviationKey key{unit.abbreviations, section.start(), unit.format.version, unit.format.address_size,
                            unit.format.offset_size};
  {
    const std::scoped_lock lock(mutex_);
    const auto found = abbreviations_.find(key);
    if (found != abbreviations_.end()) return found->second.get();
  }
  std::unique_ptr<AbbreviationTable> made;
  if (auto table = abbreviations_for(unit, section, 0)) made = std::make_unique<AbbreviationTable>(std::move(*table));
  const std::scoped_lock lock(mutex_);
  return abbreviations_.try_emplace(key, std::move(made)).first->second.get();
}

std::string_view DwarfFile::text(const DwarfSection& section, u64 offset) const {
  std::vector<std::byte> buffer;
  const std::string_view found = section.text(offset, buffer);
  return found.empty() || section.in_memory() ? found : keep(found);
}

bool DwarfFile::take_ranges(std::size_t count) const {
  // The minimum size of a range in each section. Each unit is read a few times: for its extent, its functions, its
  // variables.
  constexpr u64 kOld = 8, kNew = 3, kEntry = 8, kReadings = 8;
  const u64 most =
      kReadings * (section(DebugSection::Ranges).size() / kOld + section(DebugSection::RangeLists).size() / kNew +
                   section(DebugSection::Entries).size() / kEntry);
  return ranges_taken_.fetch_add(count, std::memory_order_relaxed) + count <= most + kReadings;
}

std::string_view DwarfFile::keep(std::string_view text) const {
  const std::scoped_lock lock(mutex_);
  return texts_.emplace_back(text);
}

}  // namespace peregrine
