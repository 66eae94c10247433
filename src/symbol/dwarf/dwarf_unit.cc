#include "symbol/dwarf/dwarf_unit.h"

#include <algorithm>
#include <cstddef>

#include "base/bytes.h"
#include "base/leb128.h"
#include "base/types.h"
#include "symbol/dwarf/abbreviation.h"
#include "symbol/dwarf/dwarf_constants.h"
#include "symbol/dwarf/dwarf_section.h"
#include "symbol/dwarf/form.h"

namespace peregrine {
namespace {

using enum DwarfForm;

constexpr u64 kRootWindow = 1024, kLargeRootWindow = 256 << 10;

bool is_address_index(DwarfForm form) {
  return form == AddressIndex || form == GnuAddressIndex || (form >= AddressIndex1 && form <= AddressIndex4);
}

}  // namespace

DwarfUnit::DwarfUnit(const DwarfFile& file, const UnitHeader& header)
    : file_(&file), address_file_(&file), header_(header) {
  for (std::size_t i = 0; i < sections_.size(); ++i) sections_[i] = file.section(static_cast<DebugSection>(i));
  const u64 offset_size = header.format.offset_size;
  // By default, a base is the section's first table, after the table's header. Split units of DWARF 5 rely on it.
  if (header.format.version >= 5) {
    text_offsets_base_ = offset_size == 8 ? 16 : 8;
    addresses_base_ = text_offsets_base_;
    range_lists_base_ = offset_size == 8 ? 20 : 12;
    location_lists_base_ = range_lists_base_;
  }
}

void DwarfUnit::set_skeleton(const DwarfUnit& skeleton, const UnitRoot& root) {
  split_ = true;
  address_file_ = skeleton.file_;
  set_section(DebugSection::Addresses, skeleton.section(DebugSection::Addresses));
  // Before DWARF 5, range lists stay in the program's file.
  if (header_.format.version < 5) set_section(DebugSection::Ranges, skeleton.section(DebugSection::Ranges));
  addresses_base_ = skeleton.addresses_base_;
  old_ranges_base_ = skeleton.old_ranges_base_;
  low_pc_ = root.low_pc.value_or(0);
}

bool DwarfUnit::open(UnitRoot& root, bool only_root) {
  const DwarfSection& abbreviations = section(DebugSection::Abbreviations);
  std::vector<std::byte> buffer;
  for (const u64 window : {kRootWindow, kLargeRootWindow}) {
    const u64 size = std::min(window, header_.end - header_.entries);
    ByteReader reader(section(DebugSection::Entries).read(header_.entries, size, buffer), file_->order());
    const u64 code = get_uleb128(reader);
    if (code == 0) return false;
    std::optional<AbbreviationTable> one;
    if (only_root)
      one = file_->abbreviations_for(header_, abbreviations, code);
    else
      table_ = file_->abbreviations(header_, abbreviations);
    const AbbreviationTable* table = only_root ? (one ? &*one : nullptr) : table_;
    const Abbreviation* abbreviation = table == nullptr ? nullptr : table->find(code);
    if (abbreviation == nullptr) return false;
    root = UnitRoot{.tag = abbreviation->tag};
    read_root(reader, *table, *abbreviation, root);
    if (reader.ok()) return true;
    if (size < window) return false;
  }
  return false;
}

void DwarfUnit::read_root(ByteReader& reader, const AbbreviationTable& table, const Abbreviation& abbreviation,
                          UnitRoot& root) {
  std::optional<FormValue> low, folder, dwo;
  for (const AttributeSpec& spec : table.specs(abbreviation)) {
    FormValue value;
    if (!read_form(reader, spec.form, spec.implicit, header_.format, value)) return;
    switch (spec.attribute) {
      case DwarfAttribute::LowPc:
        low = value;
        break;
      case DwarfAttribute::HighPc:
        root.high_pc = value;
        break;
      case DwarfAttribute::Ranges:
        root.ranges = value;
        break;
      case DwarfAttribute::StatementList:
        root.lines = value.number;
        break;
      case DwarfAttribute::CompilationFolder:
        folder = value;
        break;
      case DwarfAttribute::DwoName:
      case DwarfAttribute::GnuDwoName:
        dwo = value;
        break;
      case DwarfAttribute::GnuDwoId:
        root.dwo_id = value.number;
        break;
      case DwarfAttribute::TextOffsetsBase:
        text_offsets_base_ = value.number;
        break;
      case DwarfAttribute::AddressBase:
      case DwarfAttribute::GnuAddressBase:
        addresses_base_ = value.number;
        break;
      case DwarfAttribute::RangeListsBase:
        range_lists_base_ = value.number;
        break;
      case DwarfAttribute::LocationListsBase:
        location_lists_base_ = value.number;
        break;
      case DwarfAttribute::GnuRangesBase:
        old_ranges_base_ = value.number;
        break;
      default:
        break;
    }
  }
  if (header_.dwo_id != 0) root.dwo_id = header_.dwo_id;
  if (low) root.low_pc = address(*low);
  if (root.low_pc) low_pc_ = *root.low_pc;
  if (folder) root.compilation_folder = text(*folder, nullptr);
  if (dwo) root.dwo_name = text(*dwo, nullptr);
  // The base for ranges applies to the split unit, not to the skeleton's own ranges.
}

std::string_view DwarfUnit::text(const FormValue& value, const DwarfFile* alternative) const {
  switch (value.form) {
    case Text:
      return file_->keep(value.text);
    case TextOffset:
      return file_->text(section(DebugSection::Text), value.number);
    case LineTextOffset:
      return file_->text(section(DebugSection::LineText), value.number);
    case TextSupplement:
    case GnuTextAlternative:
      return alternative == nullptr ? std::string_view()
                                    : alternative->text(alternative->section(DebugSection::Text), value.number);
    case TextIndex:
    case GnuTextIndex:
    case TextIndex1:
    case TextIndex2:
    case TextIndex3:
    case TextIndex4: {
      const unsigned size = header_.format.offset_size;
      u64 offset = 0;
      if (value.number > section(DebugSection::TextOffsets).size() / size) return {};
      if (!section(DebugSection::TextOffsets)
               .read_number(text_offsets_base_ + value.number * size, size, file_->order(), offset))
        return {};
      return file_->text(section(DebugSection::Text), offset);
    }
    default:
      return {};
  }
}

std::optional<u64> DwarfUnit::indexed_address(u64 index) const {
  const DwarfSection& addresses = section(DebugSection::Addresses);
  const unsigned size = header_.format.address_size;
  u64 address = 0;
  if (index > addresses.size() / size) return std::nullopt;
  if (!addresses.read_number(addresses_base_ + index * size, size, address_file_->order(), address))
    return std::nullopt;
  return address;
}

std::optional<u64> DwarfUnit::address(const FormValue& value) const {
  if (value.form == Address) return value.number;
  if (is_address_index(value.form)) return indexed_address(value.number);
  return std::nullopt;
}

std::optional<u64> DwarfUnit::reference(const FormValue& value) const {
  switch (value.form) {
    case Reference1:
    case Reference2:
    case Reference4:
    case Reference8:
    case ReferenceUnsigned:
      if (value.number > header_.end - header_.offset) return std::nullopt;
      return header_.offset + value.number;
    case ReferenceAddress:
      return value.number;
    default:
      return std::nullopt;
  }
}

}  // namespace peregrine
