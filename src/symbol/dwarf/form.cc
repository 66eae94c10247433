#include "symbol/dwarf/form.h"

#include "base/leb128.h"
#include "base/types.h"

namespace peregrine {
namespace {

using enum DwarfForm;

u64 get_fixed(ByteReader& reader, u32 size) {
  switch (size) {
    case 0:
      return 0;
    case 1:
      return reader.get8();
    case 2:
      return reader.get16();
    case 4:
      return reader.get32();
    case 8:
      return reader.get64();
    case 3: {
      const u64 a = reader.get8(), b = reader.get8(), c = reader.get8();
      return reader.order() == ByteOrder::Little ? a | b << 8 | c << 16 : a << 16 | b << 8 | c;
    }
    default:
      reader.skip(size);
      return 0;
  }
}

std::string_view get_text(ByteReader& reader) {
  const std::string_view text = up_to_nul(reader.rest());
  reader.skip(text.size() + 1);  // fails the reader if there is no NUL
  return text;
}

// The size of a block; its bytes follow.
std::optional<u64> block_size(ByteReader& reader, DwarfForm form) {
  switch (form) {
    case Block1:
      return reader.get8();
    case Block2:
      return reader.get16();
    case Block4:
      return reader.get32();
    case Block:
    case Expression:
      return get_uleb128(reader);
    default:
      return std::nullopt;
  }
}

}  // namespace

bool refers_to_supplement(DwarfForm form) {
  return form == GnuReferenceAlternative || form == ReferenceSupplement4 || form == ReferenceSupplement8;
}

std::optional<u32> fixed_size(DwarfForm form, const UnitFormat& format) {
  switch (form) {
    case FlagPresent:
    case ImplicitConstant:
      return 0;
    case Data1:
    case Reference1:
    case Flag:
    case TextIndex1:
    case AddressIndex1:
      return 1;
    case Data2:
    case Reference2:
    case TextIndex2:
    case AddressIndex2:
      return 2;
    case TextIndex3:
    case AddressIndex3:
      return 3;
    case Data4:
    case Reference4:
    case TextIndex4:
    case AddressIndex4:
    case ReferenceSupplement4:
      return 4;
    case Data8:
    case Reference8:
    case ReferenceSignature:
    case ReferenceSupplement8:
      return 8;
    case Data16:
      return 16;
    case Address:
      return format.address_size;
    case ReferenceAddress:
      // DWARF 2 defined the size of an address, DWARF 3 that of an offset.
      return format.version <= 2 ? format.address_size : format.offset_size;
    case SectionOffset:
    case TextOffset:
    case LineTextOffset:
    case TextSupplement:
    case GnuReferenceAlternative:
    case GnuTextAlternative:
      return format.offset_size;
    default:
      return std::nullopt;
  }
}

bool read_form(ByteReader& reader, DwarfForm form, i64 implicit, const UnitFormat& format, FormValue& value) {
  if (form == Indirect) {
    form = static_cast<DwarfForm>(get_uleb128(reader));
    // An indirect form must end here, or a hostile file could nest them; an implicit constant has its value in the
    // abbreviation, which an indirect form lacks.
    if (form == Indirect || form == ImplicitConstant) return false;
  }
  value = FormValue{form};
  if (const auto size = fixed_size(form, format)) {
    value.number = form == ImplicitConstant ? static_cast<u64>(implicit)
                   : form == FlagPresent    ? 1
                                            : get_fixed(reader, *size);
    return reader.ok();
  }
  switch (form) {
    case SignedData:
      value.number = static_cast<u64>(get_sleb128(reader));
      return reader.ok();
    case UnsignedData:
    case ReferenceUnsigned:
    case TextIndex:
    case AddressIndex:
    case RangeListIndex:
    case LocationListIndex:
    case GnuAddressIndex:
    case GnuTextIndex:
      value.number = get_uleb128(reader);
      return reader.ok();
    case Text:
      value.text = get_text(reader);
      return reader.ok();
    default:
      break;
  }
  const auto size = block_size(reader, form);
  if (!size) return false;
  const Bytes block = reader.take(*size);
  value.text = {reinterpret_cast<const char*>(block.data()), block.size()};
  return reader.ok();
}

bool skip_form(ByteReader& reader, DwarfForm form, const UnitFormat& format) {
  FormValue ignored;
  return read_form(reader, form, 0, format, ignored);
}

}  // namespace peregrine
