// The attributes of one debugging entry, including those inherited from the entries that it refers to.
#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/types.h"
#include "symbol/dwarf/abbreviation.h"
#include "symbol/dwarf/debug_entries.h"
#include "symbol/dwarf/dwarf_constants.h"
#include "symbol/dwarf/dwarf_file.h"
#include "symbol/dwarf/dwarf_unit.h"
#include "symbol/dwarf/form.h"

namespace peregrine {
namespace {

bool is_expression(DwarfForm form) {
  switch (form) {
    case DwarfForm::Block:
    case DwarfForm::Block1:
    case DwarfForm::Block2:
    case DwarfForm::Block4:
    case DwarfForm::Expression:
      return true;
    default:
      return false;
  }
}

std::vector<std::byte> bytes_of(std::string_view text) {
  const Bytes bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

}  // namespace

DwarfTag DebugEntry::tag() const { return unit_->nodes_[node_].abbreviation->tag; }

u64 DebugEntry::offset() const { return unit_->dwarf_.header().entries + unit_->nodes_[node_].entry; }

DebugEntry DebugEntry::parent() const {
  const u32 parent = unit_->nodes_[node_].parent;
  return parent == node_ ? DebugEntry() : DebugEntry(unit_, parent);
}

std::vector<DebugEntry> DebugEntry::children() const {
  std::vector<DebugEntry> result;
  // Nodes are in file order, and `end` is the node after the last descendant: siblings are found without visiting what
  // is below them.
  for (u32 at = node_ + 1; at < unit_->nodes_[node_].end; at = unit_->nodes_[at].end) result.emplace_back(unit_, at);
  return result;
}

std::optional<FormValue> DebugEntry::own(DwarfAttribute attribute) const {
  const EntryUnit::Node& node = unit_->nodes_[node_];
  const AbbreviationTable& table = *unit_->dwarf_.abbreviations();
  ByteReader reader(Bytes(unit_->bytes_).subspan(node.attributes), unit_->dwarf_.file().order());
  for (const AttributeSpec& spec : table.specs(*node.abbreviation)) {
    if (spec.attribute != attribute) {
      if (!skip_form(reader, spec.form, table.format())) return std::nullopt;
      continue;
    }
    FormValue value;
    if (!read_form(reader, spec.form, spec.implicit, table.format(), value)) return std::nullopt;
    return value;
  }
  return std::nullopt;
}

DebugEntry DebugEntry::refer(const FormValue& value) const {
  const DebugInformation& information = unit_->information();
  if (refers_to_supplement(value.form)) {
    const DwarfFile* other = information.supplement();
    const EntryUnit* unit = other == nullptr ? nullptr : information.unit_at(*other, value.number);
    return unit == nullptr ? DebugEntry() : unit->at(value.number);
  }
  const auto offset = unit_->dwarf_.reference(value);
  if (!offset) return {};
  const UnitHeader& header = unit_->dwarf_.header();
  if (*offset >= header.offset && *offset < header.end) return unit_->at(*offset);
  const EntryUnit* unit = information.unit_at(unit_->dwarf_.file(), *offset);
  return unit == nullptr ? DebugEntry() : unit->at(*offset);
}

// An inlined or out-of-line instance refers to the abstract function, and a definition to its declaration. Each has
// only the attributes that differ:
//
//   instance ──abstract_origin──▶ abstract function ──specification──▶ declaration in the class
//
// The entry of the value is returned too: numbers of files are relative to its unit. kMostHops ends cycles in hostile
// files.
std::optional<DebugEntry::Found> DebugEntry::find(DwarfAttribute attribute) const {
  DebugEntry at = *this;
  for (unsigned hop = 0; hop < kMostHops && at; ++hop) {
    if (const auto value = at.own(attribute)) return Found{at, *value};
    auto further = at.own(DwarfAttribute::AbstractOrigin);
    if (!further) further = at.own(DwarfAttribute::Specification);
    if (!further) break;
    at = at.refer(*further);
  }
  return std::nullopt;
}

bool DebugEntry::has(DwarfAttribute attribute) const { return find(attribute).has_value(); }

bool DebugEntry::flag(DwarfAttribute attribute) const {
  const auto found = find(attribute);
  return found && found->value.number != 0;
}

std::optional<u64> DebugEntry::number(DwarfAttribute attribute) const {
  const auto found = find(attribute);
  if (!found || !(found->value.is_constant() || found->value.form == DwarfForm::Flag ||
                  found->value.form == DwarfForm::FlagPresent))
    return std::nullopt;
  return found->value.number;
}

std::string_view DebugEntry::text(DwarfAttribute attribute) const {
  const auto found = find(attribute);
  return found ? found->entry.unit_->text(found->value) : std::string_view();
}

std::string_view DebugEntry::linkage_name() const {
  const std::string_view name = text(DwarfAttribute::LinkageName);
  return name.empty() ? text(DwarfAttribute::MipsLinkageName) : name;
}

DebugEntry DebugEntry::target(DwarfAttribute attribute) const {
  const auto found = find(attribute);
  return found ? found->entry.refer(found->value) : DebugEntry();
}

DebugEntry DebugEntry::root() const {
  DebugEntry at = *this;
  for (unsigned hop = 0; hop < kMostHops; ++hop) {
    const auto further = at.own(DwarfAttribute::AbstractOrigin);
    const DebugEntry next = further ? at.refer(*further) : DebugEntry();
    if (!next) break;
    at = next;
  }
  return at;
}

std::vector<AddressRange> DebugEntry::ranges() const {
  std::vector<AddressRange> out;
  const auto low = own(DwarfAttribute::LowPc);
  const DwarfUnit& unit = unit_->dwarf_;
  unit.add_ranges(low ? unit.address(*low) : std::nullopt, own(DwarfAttribute::HighPc), own(DwarfAttribute::Ranges),
                  out);
  return out;
}

std::optional<u64> DebugEntry::entry_address() const {
  const std::vector<AddressRange> all = ranges();
  if (all.empty()) return std::nullopt;
  const auto low = own(DwarfAttribute::LowPc);
  const u64 base = low ? unit_->dwarf_.address(*low).value_or(all.front().begin) : all.front().begin;
  const auto entry = own(DwarfAttribute::EntryPc);
  if (!entry) return base;
  // In DWARF 5 a constant is relative to the lowest address.
  if (entry->is_constant()) return base + entry->number;
  return unit_->dwarf_.address(*entry).value_or(base);
}

bool DebugEntry::covers(u64 address) const {
  return std::ranges::any_of(ranges(), [&](const AddressRange& r) { return address >= r.begin && address < r.end; });
}

std::string DebugEntry::declaration_file() const {
  const auto found = find(DwarfAttribute::DeclarationFile);
  return found ? found->entry.unit_->file_path(found->value.number) : std::string();
}

u32 DebugEntry::declaration_line() const {
  return static_cast<u32>(number(DwarfAttribute::DeclarationLine).value_or(0));
}

std::string DebugEntry::call_file() const {
  const auto found = own(DwarfAttribute::CallFile);
  return found ? unit_->file_path(found->number) : std::string();
}

u32 DebugEntry::call_line() const {
  const auto found = own(DwarfAttribute::CallLine);
  return found ? static_cast<u32>(found->number) : 0;
}

std::optional<std::vector<std::byte>> DebugEntry::expression(DwarfAttribute attribute, u64 address) const {
  const auto found = find(attribute);
  if (!found) return std::nullopt;
  if (is_expression(found->value.form)) return bytes_of(found->value.text);
  // Before DWARF 4, lists of locations were given by these two forms.
  if (found->value.is_constant() && found->value.form != DwarfForm::Data4 && found->value.form != DwarfForm::Data8)
    return std::nullopt;
  std::vector<std::byte> buffer;
  for (const LocationEntry& entry : found->entry.unit_->dwarf_.locations(found->value, buffer)) {
    if (address >= entry.range.begin && address < entry.range.end)
      return std::vector<std::byte>(entry.expression.begin(), entry.expression.end());
  }
  return std::nullopt;
}

std::vector<AddressRange> DebugEntry::expression_ranges(DwarfAttribute attribute) const {
  const auto found = find(attribute);
  if (!found) return {};
  if (is_expression(found->value.form)) return {{0, ~u64{0}}};
  std::vector<std::byte> buffer;
  std::vector<AddressRange> result;
  for (const LocationEntry& entry : found->entry.unit_->dwarf_.locations(found->value, buffer))
    if (!entry.expression.empty()) result.push_back(entry.range);
  return result;
}

}  // namespace peregrine
