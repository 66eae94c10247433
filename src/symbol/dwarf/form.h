// Attribute forms: how values are encoded, and the decoded values.
//
// Decoding needs only the unit's sizes; DwarfUnit resolves indices and offsets.
#pragma once
#include <optional>
#include <string_view>

#include "base/bytes.h"
#include "base/types.h"
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
  u64 number = 0;                           // the constant, address, offset, index or reference as encoded
  // Text of DwarfForm::Text, bytes of blocks and expressions; borrowed from the input.
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

constexpr unsigned kMostHops = 8;  // limit for following references between entries
// Whether it refers to the shared supplement (dwz).
bool refers_to_supplement(DwarfForm form);

// Encoded size of a form, if it is fixed.
std::optional<u32> fixed_size(DwarfForm form, const UnitFormat& format);
// Returns false on an unknown form or a truncated value.
bool read_form(ByteReader& reader, DwarfForm form, i64 implicit, const UnitFormat& format, FormValue& value);
bool skip_form(ByteReader& reader, DwarfForm form, const UnitFormat& format);

}  // namespace peregrine
