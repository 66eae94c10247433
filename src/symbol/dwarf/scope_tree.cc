#include "symbol/dwarf/scope_tree.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/leb128.h"
#include "base/types.h"
#include "symbol/dwarf/abbreviation.h"
#include "symbol/dwarf/dwarf_constants.h"
#include "symbol/dwarf/dwarf_file.h"
#include "symbol/dwarf/form.h"

namespace peregrine {
namespace {

// The attributes of interest of an entry that may have code.
struct FunctionEntry {
  std::optional<FormValue> low, high, ranges;
  std::optional<FormValue> name, linkage_name, origin;
  u64 call_file = 0, call_line = 0;
  u64 sibling = 0;
  bool has_code() const { return low || ranges; }
};

bool read_function(ByteReader& reader, const AbbreviationTable& table, const Abbreviation& abbreviation,
                   FunctionEntry& entry) {
  for (const AttributeSpec& spec : table.specs(abbreviation)) {
    FormValue value;
    if (!read_form(reader, spec.form, spec.implicit, table.format(), value)) return false;
    switch (spec.attribute) {
      case DwarfAttribute::Sibling:
        entry.sibling = value.number;
        break;
      case DwarfAttribute::LowPc:
        entry.low = value;
        break;
      case DwarfAttribute::HighPc:
        entry.high = value;
        break;
      case DwarfAttribute::Ranges:
        entry.ranges = value;
        break;
      case DwarfAttribute::Name:
        entry.name = value;
        break;
      case DwarfAttribute::LinkageName:
      case DwarfAttribute::MipsLinkageName:
        entry.linkage_name = value;
        break;
      case DwarfAttribute::AbstractOrigin:
      case DwarfAttribute::Specification:
        entry.origin = value;
        break;
      case DwarfAttribute::CallFile:
        entry.call_file = value.number;
        break;
      case DwarfAttribute::CallLine:
        entry.call_line = value.number;
        break;
      default:
        break;
    }
  }
  return true;
}

constexpr u64 kEntryWindow = 512, kLargeEntryWindow = 64 << 10;

bool read_entry(const DwarfUnit& unit, Bytes bytes, FunctionEntry& entry) {
  ByteReader reader(bytes, unit.file().order());
  const Abbreviation* abbreviation = unit.abbreviations()->find(get_uleb128(reader));
  entry = {};
  return abbreviation != nullptr && read_function(reader, *unit.abbreviations(), *abbreviation, entry);
}

// Strings of the entry live as long as `buffer`. `entries`: the unit's entries if already read, or empty.
bool read_entry(const DwarfUnit& unit, Bytes entries, u64 offset, std::vector<std::byte>& buffer,
                FunctionEntry& entry) {
  if (offset < unit.header().entries || offset >= unit.header().end || unit.abbreviations() == nullptr) return false;
  const u64 inside = offset - unit.header().entries;
  if (!entries.empty()) return inside < entries.size() && read_entry(unit, entries.subspan(inside), entry);
  for (const u64 window : {kEntryWindow, kLargeEntryWindow}) {
    const u64 size = std::min(window, unit.header().end - offset);
    if (read_entry(unit, unit.section(DebugSection::Entries).read(offset, size, buffer), entry)) return true;
    if (size < window) return false;
  }
  return false;
}

// The linkage name of an entry or of those it refers to; otherwise the first plain name found.
std::string_view name_in(const DwarfUnit& first, Bytes entries, const DwarfFile* alternative, u64 offset) {
  std::optional<DwarfUnit> other;  // the unit of the entry, if it is not `first`
  const DwarfUnit* unit = &first;
  std::string_view plain;
  std::vector<std::byte> buffer;
  for (unsigned hop = 0; hop < kMostHops; ++hop) {
    FunctionEntry entry;
    if (!read_entry(*unit, unit == &first ? entries : Bytes(), offset, buffer, entry)) break;
    if (entry.linkage_name) return unit->text(*entry.linkage_name, alternative);
    if (entry.name && plain.empty()) plain = unit->text(*entry.name, alternative);
    if (!entry.origin) break;
    if (refers_to_supplement(entry.origin->form)) {
      if (alternative == nullptr) break;
      const std::string_view found = function_name(*alternative, nullptr, entry.origin->number);
      return found.empty() ? plain : found;
    }
    const auto target = unit->reference(*entry.origin);
    if (!target) break;
    offset = *target;
    if (offset >= unit->header().offset && offset < unit->header().end) continue;
    const UnitHeader* header = unit->file().unit_at(offset);
    if (header == nullptr) break;
    other = DwarfUnit(unit->file(), *header);
    UnitRoot root;
    if (!other->open(root)) break;
    unit = &*other;
  }
  return plain;
}

// Types contain no code of interest, and GCC records where they end (DW_AT_sibling).
bool skips_children(DwarfTag tag) {
  switch (tag) {
    case DwarfTag::ArrayType:
    case DwarfTag::ClassType:
    case DwarfTag::EnumerationType:
    case DwarfTag::StructureType:
    case DwarfTag::SubroutineType:
    case DwarfTag::UnionType:
      return true;
    default:
      return false;
  }
}

// Walks the entries once, in preorder. open_ has one element for each entry that encloses the current one; its back is
// the scope that nested functions belong to. Subtrees without code are skipped where DW_AT_sibling allows it.
class ScopeWalk {
 public:
  ScopeWalk(const DwarfUnit& unit, const DwarfFile* alternative, Bytes entries)
      : unit_(unit),
        alternative_(alternative),
        table_(*unit.abbreviations()),
        entries_(entries),
        reader_(entries, unit.file().order()) {}

  void walk() {
    do {
      if (!step()) break;
    } while (!open_.empty() && reader_.left() > 0);
  }

  std::vector<Scope> scopes;
  std::vector<RangeMap::Range> ranges;

 private:
  // The scope that nested entries belong to.
  struct Open {
    u32 scope = Scope::kNone;
    u32 level = 0;
  };

  bool step() {
    const u64 code = get_uleb128(reader_);
    if (code == 0) {
      if (!open_.empty()) open_.pop_back();
      return reader_.ok();
    }
    const Abbreviation* abbreviation = table_.find(code);
    if (abbreviation == nullptr) return false;
    Open below = open_.empty() ? Open() : open_.back();
    u64 sibling = 0;
    if (abbreviation->tag == DwarfTag::Subprogram || abbreviation->tag == DwarfTag::InlinedSubroutine) {
      FunctionEntry entry;
      if (!read_function(reader_, table_, *abbreviation, entry)) return false;
      add(entry, abbreviation->tag == DwarfTag::InlinedSubroutine, below);
      if (!entry.has_code()) sibling = entry.sibling;
    } else if (abbreviation->has_children && abbreviation->has_sibling && skips_children(abbreviation->tag)) {
      FunctionEntry entry;
      if (!read_function(reader_, table_, *abbreviation, entry)) return false;
      sibling = entry.sibling;
    } else if (!table_.skip(reader_, *abbreviation)) {
      return false;
    }
    if (!abbreviation->has_children) return true;
    if (sibling != 0) return go_to(sibling);
    open_.push_back(below);
    return true;
  }

  // Skips forward to the entry at that offset in the unit, past the children of the current one.
  bool go_to(u64 unit_offset) {
    const u64 here = unit_.header().entries - unit_.header().offset + reader_.offset();
    if (unit_offset < here) return false;
    reader_.skip(unit_offset - here);
    return reader_.ok();
  }

  void add(const FunctionEntry& entry, bool inlined, Open& below) {
    if (!entry.has_code() || (inlined && below.scope == Scope::kNone)) return;
    found_.clear();
    unit_.add_ranges(entry.low ? unit_.address(*entry.low) : std::nullopt, entry.high, entry.ranges, found_);
    if (found_.empty()) return;
    const u32 id = static_cast<u32>(scopes.size());
    const u32 level = inlined ? below.level + 1 : 0;
    for (const AddressRange& range : found_) ranges.push_back({range.begin, range.end, id, level});
    Scope scope;
    if (inlined) {
      scope.parent = below.scope;
      scope.call_file = static_cast<u32>(entry.call_file);
      scope.call_line = static_cast<u32>(entry.call_line);
    }
    scope.function = name(entry);
    scopes.push_back(scope);
    below = Open{id, level};
  }

  std::string_view name(const FunctionEntry& entry) {
    if (entry.linkage_name) return unit_.text(*entry.linkage_name, alternative_);
    if (entry.origin) {
      const bool elsewhere = refers_to_supplement(entry.origin->form);
      const auto target = elsewhere ? std::optional(entry.origin->number) : unit_.reference(*entry.origin);
      if (target) {
        auto [known, added] = (elsewhere ? names_elsewhere_ : names_).try_emplace(*target);
        if (added) known->second = origin_name(*target, elsewhere);
        if (!known->second.empty()) return known->second;
      }
    }
    return entry.name ? unit_.text(*entry.name, alternative_) : std::string_view();
  }

  std::string_view origin_name(u64 target, bool elsewhere) {
    if (elsewhere) return alternative_ == nullptr ? std::string_view() : function_name(*alternative_, nullptr, target);
    const bool inside = target >= unit_.header().offset && target < unit_.header().end;
    return inside ? name_in(unit_, entries_, alternative_, target) : function_name(unit_.file(), alternative_, target);
  }

  const DwarfUnit& unit_;
  const DwarfFile* alternative_;
  const AbbreviationTable& table_;
  const Bytes entries_;
  ByteReader reader_;
  std::vector<Open> open_;
  std::vector<AddressRange> found_;
  std::unordered_map<u64, std::string_view> names_, names_elsewhere_;
};

}  // namespace

std::string_view function_name(const DwarfFile& file, const DwarfFile* alternative, u64 offset) {
  const UnitHeader* header = file.unit_at(offset);
  if (header == nullptr) return {};
  DwarfUnit unit(file, *header);
  UnitRoot root;
  return unit.open(root) ? name_in(unit, {}, alternative, offset) : std::string_view();
}

ScopeTree ScopeTree::build(const DwarfUnit& unit, const DwarfFile* alternative) {
  ScopeTree tree;
  if (unit.abbreviations() == nullptr) return tree;
  std::vector<std::byte> buffer;
  const UnitHeader& header = unit.header();
  const Bytes entries = unit.section(DebugSection::Entries).read(header.entries, header.end - header.entries, buffer);
  ScopeWalk walk(unit, alternative, entries);
  walk.walk();
  tree.scopes_ = std::move(walk.scopes);
  tree.scopes_.shrink_to_fit();
  tree.map_ = RangeMap::build(std::move(walk.ranges));
  return tree;
}

}  // namespace peregrine
