#include "probe/type/dwarf_types.h"

#include <fmt/format.h>

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/text/trim.h"
#include "base/types.h"
#include "symbol/dwarf/dwarf_constants.h"
#include "symbol/expression/variable_location.h"

namespace peregrine {
namespace {

constexpr unsigned kMostTypedefs = 64;

enum class Encoding : u8 {
  Boolean = 2,
  ComplexFloat = 3,
  Float = 4,
  Signed = 5,
  SignedChar = 6,
  UnsignedChar = 8,
  Utf = 16
};

bool is_qualifier(DwarfTag tag) {
  return tag == DwarfTag::ConstType || tag == DwarfTag::VolatileType || tag == DwarfTag::RestrictType ||
         tag == DwarfTag::AtomicType;
}

DebugEntry without_qualifiers(DebugEntry entry, bool typedefs) {
  for (unsigned i = 0; i < kMostTypedefs && entry; ++i) {
    if (!is_qualifier(entry.tag()) && !(typedefs && entry.tag() == DwarfTag::Typedef)) return entry;
    entry = entry.type();
  }
  return {};
}

bool is_pointer(DwarfTag tag) {
  return tag == DwarfTag::PointerType || tag == DwarfTag::ReferenceType || tag == DwarfTag::RvalueReferenceType;
}

std::optional<u64> count_of(DebugEntry range) {
  if (const auto count = range.number(DwarfAttribute::ElementCount)) return count;
  const auto last = range.number(DwarfAttribute::UpperBound);
  return last ? std::optional(*last + 1) : std::nullopt;
}

// For an array, the upper half of a handle's index counts the dimensions already removed.
constexpr unsigned kDimensionShift = 32;
std::size_t dimension_of(TypeRef type) { return static_cast<std::size_t>(type.index >> kDimensionShift); }

std::vector<DebugEntry> dimensions(DebugEntry array) {
  std::vector<DebugEntry> result;
  for (const DebugEntry child : array.children())
    if (child.tag() == DwarfTag::SubrangeType || child.tag() == DwarfTag::EnumerationType) result.push_back(child);
  return result;
}

// The size in the sense of sizeof; for an array, of all elements from that dimension on.
std::optional<u64> size_of(DebugEntry entry, std::size_t dimension = 0, unsigned depth = 0) {
  entry = without_qualifiers(entry, true);
  if (!entry || depth > kMostTypedefs) return std::nullopt;
  if (const auto size = entry.number(DwarfAttribute::ByteSize)) return size;
  if (is_pointer(entry.tag())) return entry.unit().dwarf().header().format.address_size;
  if (entry.tag() == DwarfTag::EnumerationType) return size_of(entry.type(), 0, depth + 1);
  if (entry.tag() != DwarfTag::ArrayType) return std::nullopt;
  auto size = size_of(entry.type(), 0, depth + 1);
  const std::vector<DebugEntry> all = dimensions(entry);
  for (std::size_t i = dimension; i < all.size(); ++i) {
    const auto count = count_of(all[i]);
    if (!size || !count) return std::nullopt;
    size = *size * *count;
  }
  return size;
}

void describe_base(DebugEntry entry, TypeShape& shape) {
  const auto encoding = static_cast<Encoding>(entry.number(DwarfAttribute::Encoding).value_or(0));
  shape.kind = encoding == Encoding::Float || encoding == Encoding::ComplexFloat ? TypeKind::Float : TypeKind::Integer;
  shape.is_signed = encoding == Encoding::Signed || encoding == Encoding::SignedChar;
  shape.is_character = shape.size == 1 && (encoding == Encoding::SignedChar || encoding == Encoding::UnsignedChar ||
                                           encoding == Encoding::Utf);
}

u64 member_offset(DebugEntry member) {
  const auto value = member.own(DwarfAttribute::MemberLocation);
  if (!value) return 0;
  if (value->is_constant()) return value->number;
  // Old compilers write an expression that adds a constant.
  const Bytes expression = std::as_bytes(std::span(value->text));
  return evaluate_member_offset(expression, member.unit().dwarf().location_context()).value_or(0);
}

TypeMember describe_member(DebugEntry entry, bool big_endian) {
  TypeMember member{
      .name = std::string(entry.name()), .type = DwarfTypes::ref(entry.type()), .offset = member_offset(entry)};
  member.bit_size = entry.number(DwarfAttribute::BitSize).value_or(0);
  if (member.bit_size == 0) return member;
  if (const auto start = entry.number(DwarfAttribute::DataBitOffset)) {
    member.bit_start = *start;
  } else if (const auto from_top = entry.number(DwarfAttribute::BitOffset)) {
    const u64 storage = 8 * entry.number(DwarfAttribute::ByteSize).value_or(size_of(entry.type()).value_or(4));
    member.bit_start = member.offset * 8 + (big_endian ? *from_top : storage - *from_top - member.bit_size);
  } else {
    member.bit_start = member.offset * 8;
  }
  return member;
}

}  // namespace

DebugEntry DwarfTypes::entry_of(TypeRef type) {
  return type.owner == nullptr ? DebugEntry()
                               : DebugEntry(static_cast<const EntryUnit*>(type.owner), static_cast<u32>(type.index));
}

TypeShape DwarfTypes::shape(TypeRef type) const {
  TypeShape shape;
  const DebugEntry entry = without_qualifiers(entry_of(type), true);
  if (!entry) {
    shape.kind = TypeKind::Nothing;
    return shape;
  }
  shape.name = entry.name();
  const std::size_t dimension = entry.tag() == DwarfTag::ArrayType ? dimension_of(type) : 0;
  shape.size = size_of(entry, dimension);
  const DwarfTag tag = entry.tag();
  if (is_pointer(tag)) {
    shape.kind = TypeKind::Pointer;
    shape.target = ref(entry.type());
  } else if (tag == DwarfTag::ArrayType) {
    shape.kind = TypeKind::Array;
    shape.target = ref(entry.type());
    if (dimension + 1 < dimensions(entry).size())
      shape.target = TypeRef{&entry.unit(), entry.node() | (u64{dimension + 1} << kDimensionShift), true};
  } else if (tag == DwarfTag::StructureType || tag == DwarfTag::ClassType) {
    shape.kind = TypeKind::Structure;
  } else if (tag == DwarfTag::UnionType) {
    shape.kind = TypeKind::Union;
  } else if (tag == DwarfTag::EnumerationType) {
    shape.kind = TypeKind::Enumeration;
  } else if (tag == DwarfTag::SubroutineType) {
    shape.kind = TypeKind::Function;
  } else if (tag == DwarfTag::BaseType) {
    describe_base(entry, shape);
  }
  return shape;
}

std::vector<TypeMember> DwarfTypes::members(TypeRef type) const {
  std::vector<TypeMember> result;
  DebugEntry entry = without_qualifiers(entry_of(type), true);
  if (!entry) return result;
  const bool big = entry.unit().dwarf().file().order() == ByteOrder::Big;
  // This is only a declaration; look for the definition in the unit.
  if (entry.flag(DwarfAttribute::Declaration)) {
    const TypeRef whole = find(fmt::format("struct {}", entry.name()));
    if (whole) entry = entry_of(whole);
  }
  for (const DebugEntry child : entry.children()) {
    if (child.tag() == DwarfTag::Member && !child.flag(DwarfAttribute::External))
      result.push_back(describe_member(child, big));
    if (child.tag() == DwarfTag::Inheritance) {
      TypeMember base = describe_member(child, big);
      base.name.clear();
      result.push_back(std::move(base));
    }
  }
  return result;
}

std::string DwarfTypes::text(TypeRef type) const {
  std::string pointers;
  DebugEntry entry = without_qualifiers(entry_of(type), false);
  for (unsigned i = 0; i < kMostTypedefs && entry; ++i) {
    if (!is_pointer(entry.tag()) && entry.tag() != DwarfTag::ArrayType) break;
    pointers += '*';
    entry = without_qualifiers(entry.type(), false);
  }
  if (!entry) return "void" + pointers;
  if (entry.tag() == DwarfTag::SubroutineType) return "(function_type)" + pointers;
  std::string_view kind;
  if (entry.tag() == DwarfTag::StructureType) kind = "struct ";
  if (entry.tag() == DwarfTag::UnionType) kind = "union ";
  if (entry.tag() == DwarfTag::EnumerationType) kind = "enum ";
  const std::string_view name = entry.name();
  return fmt::format("{}{}{}", kind, name.empty() ? "(unnamed)" : name, pointers);
}

TypeRef DwarfTypes::find(std::string_view spelled) const {
  spelled = trim(spelled);
  while (spelled.ends_with('*')) spelled = trim(spelled.substr(0, spelled.size() - 1));
  for (const std::string_view keyword : {"const ", "struct ", "union ", "enum ", "class "})
    if (spelled.starts_with(keyword)) spelled = trim(spelled.substr(keyword.size()));
  const auto search = [&](const EntryUnit& unit) -> DebugEntry {
    for (const DebugEntry entry : unit.root().children()) {
      switch (entry.tag()) {
        case DwarfTag::StructureType:
        case DwarfTag::ClassType:
        case DwarfTag::UnionType:
        case DwarfTag::EnumerationType:
        case DwarfTag::Typedef:
        case DwarfTag::BaseType:
          if (entry.name() == spelled && !entry.flag(DwarfAttribute::Declaration)) return entry;
          break;
        default:
          break;
      }
    }
    return {};
  };
  DebugEntry found = search(*unit_);
  if (!found) {
    unit_->information().each_unit([&](const EntryUnit& unit) {
      found = search(unit);
      return found ? DebugInformation::Visit::KeepAndStop : DebugInformation::Visit::Drop;
    });
  }
  return found ? ref(found) : TypeRef();
}

}  // namespace peregrine
