// Forms: how the value of an attribute is written, and values as they are read.
//
// Reading needs only the unit's word sizes; what an index or an offset means is the unit's business (DwarfUnit).
#pragma once
#include <optional>
#include <string_view>

#include "base/bytes.h"
#include "symbol/dwarf/dwarf_constants.h"

namespace peregrine {

struct UnitFormat {
  u16 version = 4;
  u8 address_size = 8;
  u8 offset_size = 4;  // 8: 64-bit DWARF
  friend bool operator==(const UnitFormat&, const UnitFormat&) = default;
};

struct FormValue {
  DwarfForm form = DwarfForm::FlagPresent;  // never Indirect
  u64 number = 0;                           // the constant, address, offset, index or reference as it stands
  // Of DwarfForm::Text the text, of blocks and expressions their bytes: borrowed from the bytes read.
  std::string_view text = {};

  bool is_constant() const {
    switch (form) {
      case DwarfForm::Data1:
      case DwarfForm::Data2:
      case DwarfForm::Data4:
      case DwarfForm::Data8:
      case DwarfForm::SignedData:
      case DwarfForm::UnsignedData:
      case DwarfForm::ImplicitConstant:
        return true;
      default:
        return false;
    }
  }
};

constexpr unsigned kMostHops = 8;  // from entry to entry
// Into the file that several share (dwz).
bool refers_to_supplement(DwarfForm form);

// How many bytes a form takes where that does not depend on the bytes.
std::optional<u32> fixed_size(DwarfForm form, const UnitFormat& format);
// False for an unknown form, or bytes that end too early.
bool read_form(ByteReader& reader, DwarfForm form, i64 implicit, const UnitFormat& format, FormValue& value);
bool skip_form(ByteReader& reader, DwarfForm form, const UnitFormat& format);

}  // namespace peregrine
