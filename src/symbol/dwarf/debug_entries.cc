#include "symbol/dwarf/debug_entries.h"

#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/leb128.h"
#include "base/result.h"
#include "base/types.h"
#include "symbol/dwarf/abbreviation.h"
#include "symbol/dwarf/dwarf_constants.h"
#include "symbol/dwarf/dwarf_file.h"
#include "symbol/dwarf/dwarf_unit.h"
#include "symbol/dwarf/form.h"
#include "symbol/dwarf/supplement.h"
#include "symbol/dwarf/unit_index.h"
#include "symbol/elf/elf_file.h"

namespace peregrine {
namespace {

// An entry takes at least one byte, so only units too large for memory reach this.
constexpr u64 kLargestUnit = u64{1} << 30;
// Compilers nest a few dozen levels; recursive walks go this deep.
constexpr std::size_t kDeepest = 400;

}  // namespace

// Nodes are in preorder: the descendants of a node follow it, up to its `end`. In a damaged unit, the nodes before the
// damage are kept.
void EntryUnit::read_nodes() {
  const AbbreviationTable* table = dwarf_.abbreviations();
  const UnitHeader& header = dwarf_.header();
  if (table == nullptr || header.end - header.entries > kLargestUnit) return;
  std::vector<std::byte> buffer;
  const Bytes read = dwarf_.section(DebugSection::Entries).read(header.entries, header.end - header.entries, buffer);
  bytes_.assign(read.begin(), read.end());
  ByteReader reader(bytes_, dwarf_.file().order());
  std::vector<u32> open;  // the enclosing entries, innermost last
  while (reader.left() > 0) {
    const auto entry = static_cast<u32>(reader.offset());
    const u64 code = get_uleb128(reader);
    if (code == 0) {
      if (open.empty()) break;
      nodes_[open.back()].end = static_cast<u32>(nodes_.size());
      open.pop_back();
      if (open.empty()) break;
      continue;
    }
    const Abbreviation* abbreviation = table->find(code);
    if (abbreviation == nullptr) break;
    const auto node = static_cast<u32>(nodes_.size());
    nodes_.push_back(
        {entry, static_cast<u32>(reader.offset()), open.empty() ? node : open.back(), node + 1, abbreviation});
    if (!table->skip(reader, *abbreviation)) {
      nodes_.pop_back();
      break;
    }
    if (abbreviation->has_children) open.push_back(node);
    if (open.empty() || open.size() > kDeepest) break;
  }
  for (const u32 node : open) nodes_[node].end = static_cast<u32>(nodes_.size());
}

void EntryUnit::load_lines() const {
  if (lines_loaded_) return;
  lines_loaded_ = true;
  const DwarfUnit& unit = skeleton_ ? *skeleton_ : dwarf_;
  const UnitRoot& root = skeleton_ ? skeleton_root_ : root_;
  if (!root.lines) return;
  auto header = read_line_header(unit, *root.lines);
  if (!header) return;
  line_header_ = std::move(*header);
  lines_ = LineTable::run(unit, line_header_);
}

const LineTable& EntryUnit::lines() const {
  load_lines();
  return lines_;
}

const LineHeader& EntryUnit::line_header() const {
  load_lines();
  return line_header_;
}

const std::string& EntryUnit::file_path(u64 file) const {
  const auto [path, added] = paths_.try_emplace(file);
  if (added) path->second = line_header().path(file, (skeleton_ ? skeleton_root_ : root_).compilation_folder);
  return path->second;
}

std::string_view EntryUnit::text(const FormValue& value) const {
  return dwarf_.text(value, information_->supplement());
}

DebugEntry EntryUnit::at(u64 offset) const {
  if (offset < dwarf_.header().entries) return {};
  const u64 wanted = offset - dwarf_.header().entries;
  const auto found = std::ranges::lower_bound(nodes_, wanted, {}, &Node::entry);
  if (found == nodes_.end() || found->entry != wanted) return {};
  return {this, static_cast<u32>(found - nodes_.begin())};
}

DebugInformation::DebugInformation(ElfFile file, const SourceSearch& search)
    : search_(search), file_(std::move(file), DwarfFile::Sections::Plain) {}
DebugInformation::~DebugInformation() = default;

Result<std::unique_ptr<DebugInformation>> DebugInformation::open(ElfFile file, const SourceSearch& search) {
  const std::string name = file.name();
  std::unique_ptr<DebugInformation> made(new DebugInformation(std::move(file), search));
  if (made->file_.section(DebugSection::Entries).empty() || made->file_.units().empty())
    return fail(ErrorKind::NotFound, "{}: no debug information", name);
  return made;
}

std::unique_ptr<EntryUnit> DebugInformation::decode(const DwarfFile& file, const UnitHeader& header) const {
  std::unique_ptr<EntryUnit> unit(new EntryUnit(*this, DwarfUnit(file, header)));
  if (!unit->dwarf_.open(unit->root_)) return nullptr;
  if (unit->root_.is_skeleton() && !open_split(*unit)) {
    ++missing_split_;
    return nullptr;
  }
  unit->read_nodes();
  return unit;
}

// Makes the unit the split one and keeps the skeleton for its addresses.
bool DebugInformation::open_split(EntryUnit& unit) const {
  if (!package_asked_) {
    package_asked_ = true;
    if (auto opened = open_package(file_.elf(), search_))
      package_ = std::make_unique<DwarfFile>(std::move(*opened), DwarfFile::Sections::Split);
  }
  const auto take = [&](const DwarfFile& file) {
    auto split = find_split_unit(file, unit.dwarf_, unit.root_);
    if (!split) return false;
    UnitRoot root;
    if (!split->open(root)) return false;
    unit.skeleton_ = unit.dwarf_;
    unit.skeleton_root_ = unit.root_;
    unit.dwarf_ = *split;
    unit.root_ = root;
    return true;
  };
  if (package_ && take(*package_)) return true;
  auto opened = open_split_file(unit.root_, search_);
  if (!opened) return false;
  auto file = std::make_unique<DwarfFile>(std::move(*opened), DwarfFile::Sections::Split);
  if (!take(*file)) return false;
  split_files_.push_back(std::move(file));
  return true;
}

const EntryUnit* DebugInformation::unit_at(const DwarfFile& file, u64 offset) const {
  const UnitHeader* header = file.unit_at(offset);
  if (header == nullptr) return nullptr;
  const auto [known, added] = units_.try_emplace(header);
  if (added) {
    auto made = decode(file, *header);
    units_[header] = std::move(made);
    return units_[header].get();
  }
  return known->second.get();
}

const EntryUnit* DebugInformation::unit(std::size_t index) const {
  const UnitHeader& header = file_.units()[index];
  if (header.type == DwarfUnitType::Type || header.type == DwarfUnitType::Partial) return nullptr;
  const EntryUnit* unit = unit_at(file_, header.entries);
  return unit == nullptr || unit->empty() || unit->root().tag() == DwarfTag::PartialUnit ? nullptr : unit;
}

void DebugInformation::drop(std::size_t index) const { units_.erase(&file_.units()[index]); }

void DebugInformation::each_unit(const std::function<Visit(const EntryUnit&)>& visit) const {
  for (std::size_t i = 0; i < unit_count(); ++i) {
    const bool known = units_.contains(&file_.units()[i]);
    const EntryUnit* one = unit(i);
    if (one == nullptr) continue;
    const Visit wish = visit(*one);
    if (wish == Visit::KeepAndStop) return;
    if (wish == Visit::Drop && !known) drop(i);
  }
}

const EntryUnit* DebugInformation::unit_covering(u64 address) const {
  if (!index_) index_ = build_unit_index(file_);
  const u32 found = index_->find(address);
  return found == RangeMap::kNobody ? nullptr : unit(found);
}

const DwarfFile* DebugInformation::supplement() const {
  if (!supplement_asked_) {
    supplement_asked_ = true;
    if (auto opened = open_supplement(file_.elf(), search_))
      supplement_ = std::make_unique<DwarfFile>(std::move(*opened), DwarfFile::Sections::Plain);
  }
  return supplement_.get();
}

}  // namespace peregrine
