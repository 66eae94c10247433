// DebugInformation: the debugging entries of one file as a tree that can be walked: functions, variables, types.
//
//   DebugInformation ── its units, decoded when asked for ──▶ EntryUnit ── DebugEntry, a handle of two words
//
// For those who need more than lines and names (SourceLines): variables with their locations, types with their members.
// Understands what SourceLines does: DWARF 2 to 5, split DWARF, dwz. An entry's accessors look through the entries that
// it refers to (abstract origin, specification), so that the instance of an inlined function has its name. Files are
// untrusted: what makes no sense is absent. Not thread safe; handles and texts live as long as the unit, which drop()
// ends.
#pragma once
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>

#include "symbol/dwarf/line_table.h"
#include "symbol/dwarf/range_map.h"
#include "symbol/dwarf/source_lines.h"

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

  // As it stands in this entry; nothing looked through.
  std::optional<FormValue> own(DwarfAttribute attribute) const;
  // Looked through.
  bool has(DwarfAttribute attribute) const;
  bool flag(DwarfAttribute attribute) const;
  std::optional<u64> number(DwarfAttribute attribute) const;
  std::string_view text(DwarfAttribute attribute) const;
  std::string_view name() const { return text(DwarfAttribute::Name); }
  std::string_view linkage_name() const;
  DebugEntry target(DwarfAttribute attribute) const;  // what a reference means
  DebugEntry type() const { return target(DwarfAttribute::Type); }
  // The abstract entry behind an instance; itself when there is none.
  DebugEntry root() const;

  // Of code.
  std::vector<AddressRange> ranges() const;
  std::optional<u64> entry_address() const;
  bool covers(u64 address) const;
  std::string declaration_file() const;
  u32 declaration_line() const;
  std::string call_file() const;
  u32 call_line() const;

  // The expression of a location, frame base or constant at that address; empty optional: it has none there.
  std::optional<std::vector<std::byte>> expression(DwarfAttribute attribute, u64 address) const;
  // Where that attribute says something; one range of everything for a single expression.
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
  // The line table of the unit; of split DWARF its skeleton's.
  const LineTable& lines() const;
  const LineHeader& line_header() const;
  // The path of a file as entries and rows number it; empty when there is none.
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
    u32 end = 0;  // first node behind those below
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
  // Decoded; nullptr when it cannot be read, or is one of types and shared parts only.
  const EntryUnit* unit(std::size_t index) const;
  void drop(std::size_t index) const;
  // Those that have code, one after the other; a unit is dropped unless `visit` wants to keep it.
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
