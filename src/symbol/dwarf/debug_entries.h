// DebugInformation: the debugging entries of one file as a tree: functions, variables, types.
//
//   DebugInformation ── units, decoded on demand ──▶ EntryUnit ── DebugEntry, a two-word handle
//
// For callers that need more than SourceLines offers: variable locations and type members. Supports the same formats:
// DWARF 2 to 5, split DWARF, dwz. Accessors follow abstract origins and specifications, so an inlined instance has its
// function's name. Files are untrusted: invalid data reads as absent. Not thread safe. Handles and text live until the
// unit is dropped (drop()).
#pragma once
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "base/types.h"
#include "symbol/dwarf/abbreviation.h"
#include "symbol/dwarf/dwarf_constants.h"
#include "symbol/dwarf/dwarf_file.h"
#include "symbol/dwarf/dwarf_unit.h"
#include "symbol/dwarf/form.h"
#include "symbol/dwarf/line_table.h"
#include "symbol/dwarf/range_map.h"
#include "symbol/dwarf/source_lines.h"
#include "symbol/elf/elf_file.h"

namespace peregrine {

class EntryUnit;
class DebugInformation;

class DebugEntry {
 public:
  DebugEntry() = default;
  DebugEntry(const EntryUnit* unit, u32 node) : unit_(unit), node_(node) {}
  explicit operator bool() const { return unit_ != nullptr; }
  friend bool operator==(const DebugEntry&, const DebugEntry&) = default;

  const EntryUnit& unit() const { return *unit_; }
  u32 node() const { return node_; }
  DwarfTag tag() const;
  u64 offset() const;  // in its file
  DebugEntry parent() const;
  std::vector<DebugEntry> children() const;

  // The attribute of this entry only; references are not followed.
  std::optional<FormValue> own(DwarfAttribute attribute) const;
  // References are followed.
  bool has(DwarfAttribute attribute) const;
  bool flag(DwarfAttribute attribute) const;
  std::optional<u64> number(DwarfAttribute attribute) const;
  std::string_view text(DwarfAttribute attribute) const;
  std::string_view name() const { return text(DwarfAttribute::Name); }
  std::string_view linkage_name() const;
  DebugEntry target(DwarfAttribute attribute) const;  // the entry a reference points at
  DebugEntry type() const { return target(DwarfAttribute::Type); }
  // The abstract entry of an instance, or the entry itself.
  DebugEntry root() const;

  // Code ranges.
  std::vector<AddressRange> ranges() const;
  std::optional<u64> entry_address() const;
  bool covers(u64 address) const;
  std::string declaration_file() const;
  u32 declaration_line() const;
  std::string call_file() const;
  u32 call_line() const;

  // The expression of a location, frame base or constant that applies at `address`; nothing if none applies.
  std::optional<std::vector<std::byte>> expression(DwarfAttribute attribute, u64 address) const;
  // Address ranges where the attribute has a value; a single expression covers everything.
  std::vector<AddressRange> expression_ranges(DwarfAttribute attribute) const;

 private:
  struct Found;
  std::optional<Found> find(DwarfAttribute attribute) const;
  DebugEntry refer(const FormValue& value) const;

  const EntryUnit* unit_ = nullptr;
  u32 node_ = 0;
};

struct DebugEntry::Found {
  DebugEntry entry;
  FormValue value;
};

class EntryUnit {
 public:
  const DwarfUnit& dwarf() const { return dwarf_; }
  const DebugInformation& information() const { return *information_; }
  DebugEntry root() const { return {this, 0}; }
  bool empty() const { return nodes_.empty(); }
  u64 lowest_address() const { return root_.low_pc.value_or(0); }
  // The unit's line table; a split unit uses its skeleton's.
  const LineTable& lines() const;
  const LineHeader& line_header() const;
  // Path for a file number of entries or rows; empty if unknown.
  const std::string& file_path(u64 file) const;
  std::string_view text(const FormValue& value) const;
  DebugEntry at(u64 offset) const;

 private:
  friend class DebugEntry;
  friend class DebugInformation;
  struct Node {
    u32 entry = 0;  // from the unit's first entry
    u32 attributes = 0;
    u32 parent = 0;
    u32 end = 0;  // first node after this subtree
    const Abbreviation* abbreviation = nullptr;
  };
  EntryUnit(const DebugInformation& information, const DwarfUnit& unit) : information_(&information), dwarf_(unit) {}
  void read_nodes();
  void load_lines() const;

  const DebugInformation* information_;
  DwarfUnit dwarf_;
  UnitRoot root_;
  std::optional<DwarfUnit> skeleton_;
  UnitRoot skeleton_root_;
  std::vector<std::byte> bytes_;
  std::vector<Node> nodes_;
  mutable bool lines_loaded_ = false;
  mutable LineHeader line_header_;
  mutable LineTable lines_;
  mutable std::unordered_map<u64, std::string> paths_;
};

class DebugInformation {
 public:
  // NotFound: the file has no debugging entries.
  static Result<std::unique_ptr<DebugInformation>> open(ElfFile file, const SourceSearch& search = {});
  ~DebugInformation();
  DebugInformation(const DebugInformation&) = delete;
  DebugInformation& operator=(const DebugInformation&) = delete;

  const ElfFile& file() const { return file_.elf(); }
  std::size_t unit_count() const { return file_.units().size(); }
  // Decodes the unit; nullptr if it is unreadable, or contains only types or shared entries.
  const EntryUnit* unit(std::size_t index) const;
  void drop(std::size_t index) const;
  // Visits the units with code in order; drops each one unless `visit` keeps it.
  enum class Visit { Drop, Keep, KeepAndStop };
  void each_unit(const std::function<Visit(const EntryUnit&)>& visit) const;
  const EntryUnit* unit_covering(u64 address) const;
  u64 missing_split_units() const { return missing_split_; }

 private:
  friend class DebugEntry;
  friend class EntryUnit;
  DebugInformation(ElfFile file, const SourceSearch& search);
  std::unique_ptr<EntryUnit> decode(const DwarfFile& file, const UnitHeader& header) const;
  bool open_split(EntryUnit& unit) const;
  const EntryUnit* unit_at(const DwarfFile& file, u64 offset) const;
  const DwarfFile* supplement() const;

  SourceSearch search_;
  DwarfFile file_;
  mutable std::optional<RangeMap> index_;
  mutable bool supplement_asked_ = false, package_asked_ = false;
  mutable std::unique_ptr<DwarfFile> supplement_, package_;
  mutable std::vector<std::unique_ptr<DwarfFile>> split_files_;
  mutable std::unordered_map<const UnitHeader*, std::unique_ptr<EntryUnit>> units_;
  mutable u64 missing_split_ = 0;
};

}  // namespace peregrine
