// The address ranges of an entry: low and high pc, .debug_ranges, .debug_rnglists.
#include <cstddef>
#include <optional>
#include <vector>

#include "base/bytes.h"
#include "base/leb128.h"
#include "base/types.h"
#include "symbol/dwarf/dwarf_constants.h"
#include "symbol/dwarf/dwarf_file.h"
#include "symbol/dwarf/dwarf_section.h"
#include "symbol/dwarf/dwarf_unit.h"
#include "symbol/dwarf/form.h"

namespace peregrine {
namespace {

enum class RangeEntry : u8 {
  End = 0,
  BaseAddressIndex = 1,
  StartIndexEndIndex = 2,
  StartIndexLength = 3,
  OffsetPair = 4,
  BaseAddress = 5,
  StartEnd = 6,
  StartLength = 7,
};

// The length of a list is unknown, so it is read in growing windows; most lists have only a few entries.
constexpr u64 kFirstRangeWindow = 256, kLargestRangeWindow = u64{1} << 20;

}  // namespace

void DwarfUnit::add_range(u64 begin, u64 end, std::vector<AddressRange>& out) const {
  if (begin < end && address_file_->has_code_at(begin)) out.push_back({begin, end});
}

void DwarfUnit::add_ranges(std::optional<u64> low_pc, const std::optional<FormValue>& high_pc,
                           const std::optional<FormValue>& ranges, std::vector<AddressRange>& out) const {
  if (ranges) {
    const std::size_t before = out.size();
    add_listed_ranges(*ranges, out);
    if (!file_->take_ranges(out.size() - before)) out.resize(before);
    return;
  }
  if (!low_pc || !high_pc) return;
  if (high_pc->is_constant()) return add_range(*low_pc, *low_pc + high_pc->number, out);
  if (const auto end = address(*high_pc)) add_range(*low_pc, *end, out);
}

void DwarfUnit::add_listed_ranges(const FormValue& ranges, std::vector<AddressRange>& out) const {
  if (header_.format.version < 5) return add_old_range_list((split_ ? old_ranges_base_ : 0) + ranges.number, out);
  u64 offset = ranges.number;
  if (ranges.form == DwarfForm::RangeListIndex) {
    const DwarfSection& lists = section(DebugSection::RangeLists);
    const unsigned size = header_.format.offset_size;
    if (offset > lists.size() / size ||
        !lists.read_number(range_lists_base_ + offset * size, size, file_->order(), offset))
      return;
    offset += range_lists_base_;
  }
  add_range_list(offset, out);
}

void DwarfUnit::add_range_list(u64 offset, std::vector<AddressRange>& out) const {
  const DwarfSection& lists = section(DebugSection::RangeLists);
  const std::size_t before = out.size();
  std::vector<std::byte> buffer;
  for (u64 window = kFirstRangeWindow; window <= kLargestRangeWindow; window *= 16) {
    out.resize(before);
    const Bytes bytes = lists.read(offset, window, buffer);
    ByteReader reader(bytes, file_->order());
    const auto get_address = [&] { return header_.format.address_size == 8 ? reader.get64() : reader.get32(); };
    u64 base = low_pc_;
    for (;;) {
      const auto kind = static_cast<RangeEntry>(reader.get8());
      if (!reader.ok()) break;
      u64 begin = 0, end = 0;
      switch (kind) {
        case RangeEntry::End:
          return;
        case RangeEntry::BaseAddressIndex:
          base = indexed_address(get_uleb128(reader)).value_or(0);
          continue;
        case RangeEntry::BaseAddress:
          base = get_address();
          continue;
        case RangeEntry::StartIndexEndIndex:
          begin = indexed_address(get_uleb128(reader)).value_or(0);
          end = indexed_address(get_uleb128(reader)).value_or(0);
          break;
        case RangeEntry::StartIndexLength:
          begin = indexed_address(get_uleb128(reader)).value_or(0);
          end = begin + get_uleb128(reader);
          break;
        case RangeEntry::OffsetPair:
          begin = base + get_uleb128(reader);
          end = base + get_uleb128(reader);
          break;
        case RangeEntry::StartEnd:
          begin = get_address();
          end = get_address();
          break;
        case RangeEntry::StartLength:
          begin = get_address();
          end = begin + get_uleb128(reader);
          break;
        default:
          return;
      }
      if (!reader.ok()) break;
      add_range(begin, end, out);
    }
    if (bytes.size() < window) return;
  }
}

void DwarfUnit::add_old_range_list(u64 offset, std::vector<AddressRange>& out) const {
  const DwarfSection& lists = section(DebugSection::Ranges);
  const std::size_t before = out.size();
  const bool wide = header_.format.address_size == 8;
  const u64 highest = wide ? ~u64{0} : 0xffffffffu;
  std::vector<std::byte> buffer;
  for (u64 window = kFirstRangeWindow; window <= kLargestRangeWindow; window *= 16) {
    out.resize(before);
    const Bytes bytes = lists.read(offset, window, buffer);
    ByteReader reader(bytes, address_file_->order());
    const auto get_address = [&] { return wide ? reader.get64() : reader.get32(); };
    u64 base = low_pc_;
    for (;;) {
      const u64 begin = get_address(), end = get_address();
      if (!reader.ok()) break;
      if (begin == 0 && end == 0) return;
      if (begin == highest)
        base = end;
      else
        add_range(base + begin, base + end, out);
    }
    if (bytes.size() < window) return;
  }
}

}  // namespace peregrine
