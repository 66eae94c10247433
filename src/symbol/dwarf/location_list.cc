// A variable's locations by address: .debug_loc, .debug_loclists, and GNU's lists of split DWARF 4.
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
#include "symbol/expression/variable_location.h"

namespace peregrine {
namespace {

enum class ListEntry : u8 {
  End = 0,
  BaseAddressIndex = 1,
  StartIndexEndIndex = 2,
  StartIndexLength = 3,
  OffsetPair = 4,
  Default = 5,
  BaseAddress = 6,
  StartEnd = 7,
  StartLength = 8,
  ViewPair = 9,  // GNU: selects one of several rows at the same address
};

// Lists have a few entries; a longer one is damaged.
constexpr u64 kFirstLocationWindow = 1024, kLargestLocationWindow = u64{1} << 20;

class ListReader {
 public:
  ListReader(const DwarfUnit& unit, Bytes bytes, u64 base, bool of_split)
      : unit_(unit), reader_(bytes, unit.file().order()), base_(base), of_split_(of_split) {}

  // False if the bytes end before the list does.
  bool read(bool old, std::vector<LocationEntry>& out) {
    bool ended = false;
    while (reader_.ok() && !ended)
      ended = old ? (of_split_ ? step_new(true, out) : step_old(out)) : step_new(false, out);
    return ended;
  }

 private:
  u64 address() { return unit_.header().format.address_size == 8 ? reader_.get64() : reader_.get32(); }
  u64 indexed() { return unit_.indexed_address(get_uleb128(reader_)).value_or(0); }

  void add(u64 begin, u64 end, u64 size, std::vector<LocationEntry>& out) {
    const Bytes expression = reader_.take(size);
    if (reader_.ok()) out.push_back({{begin, end}, expression});
  }

  bool step_old(std::vector<LocationEntry>& out) {
    const u64 highest = unit_.header().format.address_size == 8 ? ~u64{0} : 0xffffffffu;
    const u64 begin = address(), end = address();
    if (!reader_.ok() || (begin == 0 && end == 0)) return reader_.ok();
    if (begin == highest)
      base_ = end;
    else
      add(base_ + begin, base_ + end, reader_.get16(), out);
    return false;
  }

  // `gnu`: split DWARF 4, which has two-byte sizes and four-byte lengths.
  bool step_new(bool gnu, std::vector<LocationEntry>& out) {
    u64 begin = 0, end = ~u64{0};
    const auto kind = static_cast<ListEntry>(reader_.get8());
    if (!reader_.ok()) return false;
    switch (kind) {
      case ListEntry::BaseAddressIndex:
        base_ = indexed();
        return false;
      case ListEntry::StartIndexEndIndex:
        begin = indexed();
        end = indexed();
        break;
      case ListEntry::StartIndexLength:
        begin = indexed();
        end = begin + (gnu ? reader_.get32() : get_uleb128(reader_));
        break;
      case ListEntry::OffsetPair:
        begin = base_ + get_uleb128(reader_);
        end = base_ + get_uleb128(reader_);
        break;
      case ListEntry::Default:
        break;
      case ListEntry::BaseAddress:
        base_ = address();
        return false;
      case ListEntry::StartEnd:
        begin = address();
        end = address();
        break;
      case ListEntry::StartLength:
        begin = address();
        end = begin + get_uleb128(reader_);
        break;
      case ListEntry::ViewPair:
        get_uleb128(reader_);
        get_uleb128(reader_);
        return false;
      default:
        return true;
    }
    add(begin, end, gnu ? reader_.get16() : get_uleb128(reader_), out);
    return false;
  }

  const DwarfUnit& unit_;
  ByteReader reader_;
  u64 base_;
  bool of_split_;
};

}  // namespace

std::optional<u64> DwarfUnit::location_list(const FormValue& value) const {
  if (value.form != DwarfForm::LocationListIndex) return value.number;
  const DwarfSection& lists = section(DebugSection::Locations);
  const unsigned size = header_.format.offset_size;
  u64 offset = 0;
  if (value.number > lists.size() / size ||
      !lists.read_number(location_lists_base_ + value.number * size, size, file_->order(), offset))
    return std::nullopt;
  return location_lists_base_ + offset;
}

LocationContext DwarfUnit::location_context() const {
  LocationContext context{.order = file_->order(), .address_size = header_.format.address_size, .frame_base = {}};
  context.indexed_address = [this](u64 index) { return indexed_address(index); };
  return context;
}

std::vector<LocationEntry> DwarfUnit::locations(const FormValue& value, std::vector<std::byte>& buffer) const {
  const auto offset = location_list(value);
  if (!offset) return {};
  const bool old = header_.format.version < 5;
  const DwarfSection& lists = section(old ? DebugSection::OldLocations : DebugSection::Locations);
  std::vector<LocationEntry> out;
  for (u64 window = kFirstLocationWindow; window <= kLargestLocationWindow; window *= 16) {
    out.clear();
    const Bytes bytes = lists.read(*offset, window, buffer);
    if (ListReader(*this, bytes, low_pc_, split_).read(old, out) || bytes.size() < window) break;
  }
  return out;
}

}  // namespace peregrine
