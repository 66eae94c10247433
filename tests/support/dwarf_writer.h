// DwarfWriter: builds .debug_info and .debug_abbrev in memory, entry by entry, for tests of debug information.
//
//   DwarfWriter dwarf({.version = 5});
//   dwarf.begin_unit();
//   dwarf.entry(DwarfTag::CompileUnit, {{DwarfAttribute::Name, DwarfForm::Text, 0, "a.c"}}, true);
//   const u64 type = dwarf.entry(DwarfTag::BaseType, {{DwarfAttribute::ByteSize, DwarfForm::Data1, 4}});
//   dwarf.entry(DwarfTag::Variable, {dwarf.refer(DwarfAttribute::Type, type)});
//   dwarf.end_children();
//   dwarf.end_unit();
//   const ElfImage image = dwarf.image({{".debug_str", …}});
//
// Each entry gets its own abbreviation. All units share one table.
#pragma once
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/types.h"
#include "support/byte_buffer.h"
#include "support/elf_image.h"
#include "symbol/dwarf/dwarf_constants.h"

namespace peregrine::support {

struct DwarfShape {
  ByteOrder order = ByteOrder::Little;
  u16 version = 4;
  u8 address_size = 8;
  bool dwarf_64 = false;  // width of offsets
};

// `number` for constants, addresses, offsets, indices and references; `bytes` for text, blocks and expressions.
struct DwarfValue {
  DwarfAttribute attribute;
  DwarfForm form;
  u64 number = 0;
  std::string bytes = {};
};

inline void put_uleb(ByteBuffer& out, u64 value) {
  for (; value >= 0x80; value >>= 7) out.put(value | 0x80, 1);
  out.put(value, 1);
}

// The numbers at the head of a line program; the defaults are GCC's.
struct LineProgramShape {
  u8 least_instruction = 1, operations = 1;
  bool statement = true;
  int line_base = -5;
  u8 line_range = 14, first_special = 13;
};

class DwarfWriter {
 public:
  explicit DwarfWriter(DwarfShape shape = {}) : shape_(shape), unit_(buffer()) {}

  // An empty buffer of this byte order, for the other sections.
  ByteBuffer buffer() const { return ByteBuffer(shape_.order == ByteOrder::Little ? Endian::Little : Endian::Big); }
  unsigned offset_size() const { return shape_.dwarf_64 ? 8 : 4; }
  // A length field followed by the bytes it counts, as units and most tables begin.
  std::vector<std::byte> with_length(const ByteBuffer& body) const {
    ByteBuffer out = buffer();
    if (shape_.dwarf_64) out.put32(0xffffffff);
    return out.put(body.size(), offset_size()).append(body.bytes()).bytes();
  }

  void begin_unit(DwarfUnitType type = DwarfUnitType::Compile, u64 dwo_id = 0) {
    unit_ = buffer();
    unit_.put16(shape_.version);
    if (shape_.version >= 5) {
      unit_.put(static_cast<u8>(type), 1).put(shape_.address_size, 1).put(0, offset_size());
      if (type == DwarfUnitType::Skeleton || type == DwarfUnitType::SplitCompile) unit_.put64(dwo_id);
      if (type == DwarfUnitType::Type || type == DwarfUnitType::SplitType) unit_.put64(0).put(0, offset_size());
    } else {
      unit_.put(0, offset_size()).put(shape_.address_size, 1);
    }
  }
  void end_unit() {
    const std::vector<std::byte> whole = with_length(unit_);
    info_.insert(info_.end(), whole.begin(), whole.end());
    unit_ = buffer();
  }

  u64 unit_start() const { return info_.size(); }
  // The offset in .debug_info of the entry written next.
  u64 next() const { return unit_start() + (shape_.dwarf_64 ? 12 : 4) + unit_.size(); }

  // Returns the entry's offset in .debug_info. With `children`, the next entries are its children up to
  // end_children().
  u64 entry(DwarfTag tag, const std::vector<DwarfValue>& values, bool children = false) {
    const u64 offset = next();
    put_uleb(abbreviations_, ++codes_);
    put_uleb(abbreviations_, static_cast<u16>(tag));
    abbreviations_.put(children ? 1 : 0, 1);
    put_uleb(unit_, codes_);
    for (const DwarfValue& value : values) {
      put_uleb(abbreviations_, static_cast<u16>(value.attribute));
      put_uleb(abbreviations_, static_cast<u16>(value.form));
      put_value(value);
    }
    abbreviations_.zeros(2);
    return offset;
  }
  void end_children() { unit_.put(0, 1); }

  // A reference to the entry at `target`, in the current unit or, with ReferenceAddress, in any.
  DwarfValue refer(DwarfAttribute attribute, u64 target, DwarfForm form = DwarfForm::Reference4) const {
    return {attribute, form, form == DwarfForm::ReferenceAddress ? target : target - unit_start()};
  }

  // .debug_line with one program. `tables`: directories and files, in the format of the version.
  std::vector<std::byte> lines(const LineProgramShape& line, const ByteBuffer& tables,
                               const ByteBuffer& program) const {
    ByteBuffer head = buffer();
    head.put(line.least_instruction, 1);
    if (shape_.version >= 4) head.put(line.operations, 1);
    head.put(line.statement ? 1 : 0, 1).put(static_cast<u64>(line.line_base), 1).put(line.line_range, 1);
    head.put(line.first_special, 1);
    constexpr u8 kOperands[] = {0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1};
    for (unsigned i = 0; i + 1 < line.first_special; ++i) head.put(i < sizeof kOperands ? kOperands[i] : 1, 1);
    head.append(tables.bytes());
    ByteBuffer body = buffer();
    body.put16(shape_.version);
    if (shape_.version >= 5) body.put(shape_.address_size, 1).put(0, 1);
    return with_length(body.put(head.size(), offset_size()).append(head.bytes()).append(program.bytes()));
  }

  const std::vector<std::byte>& entries() const { return info_; }
  std::vector<std::byte> abbreviations() const { return ByteBuffer(abbreviations_).zeros(1).bytes(); }
  // The file with these entries and the sections `more`. `suffix`: ".dwo" for split DWARF.
  ElfImage image(std::vector<ImageSection> more = {}, const std::string& suffix = "") const {
    ElfImage image;
    image.order = shape_.order;
    image.is_64 = shape_.address_size == 8;
    image.extra = std::move(more);
    image.extra.push_back({".debug_info" + suffix, entries()});
    image.extra.push_back({".debug_abbrev" + suffix, abbreviations()});
    return image;
  }

 private:
  void put_value(const DwarfValue& value) {
    using enum DwarfForm;
    const auto block = [&](unsigned width) { unit_.put(value.bytes.size(), width).text(value.bytes); };
    switch (value.form) {
      case FlagPresent:
        return;
      case Text:
        unit_.text(value.bytes).zeros(1);
        return;
      case Block1:
        return block(1);
      case Block2:
        return block(2);
      case Block4:
        return block(4);
      case Block:
      case Expression:
        put_uleb(unit_, value.bytes.size());
        unit_.text(value.bytes);
        return;
      case ImplicitConstant:  // below 64, so that one byte holds it
        abbreviations_.put(value.number, 1);
        return;
      case UnsignedData:
      case TextIndex:
      case AddressIndex:
      case RangeListIndex:
      case LocationListIndex:
      case ReferenceUnsigned:
      case GnuAddressIndex:
      case GnuTextIndex:
        return put_uleb(unit_, value.number);
      default:
        unit_.put(value.number, width_of(value.form));
    }
  }
  unsigned width_of(DwarfForm form) const {
    using enum DwarfForm;
    switch (form) {
      case Address:
        return shape_.address_size;
      case Data1:
      case Flag:
      case Reference1:
      case TextIndex1:
      case AddressIndex1:
        return 1;
      case Data2:
      case Reference2:
        return 2;
      case Data4:
      case Reference4:
        return 4;
      case Data8:
      case Reference8:
        return 8;
      default:
        return offset_size();
    }
  }

  DwarfShape shape_;
  std::vector<std::byte> info_;
  ByteBuffer abbreviations_;
  ByteBuffer unit_;
  u64 codes_ = 0;
};

}  // namespace peregrine::support
