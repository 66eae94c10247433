#include "probe/type/btf_types.h"

#include <fmt/format.h>
#include <string.h>

#include <cstring>
#include <span>
#include <utility>

#include "base/bytes.h"
#include "base/text/trim.h"
#include "base/types.h"

namespace peregrine {
namespace {

// Format: Documentation/bpf/btf.rst of Linux.
enum Kind : u32 {
  kInteger = 1,
  kPointer = 2,
  kArray = 3,
  kStructure = 4,
  kUnion = 5,
  kEnumeration = 6,
  kForward = 7,
  kTypedef = 8,
  kVolatile = 9,
  kConst = 10,
  kRestrict = 11,
  kFunction = 12,
  kPrototype = 13,
  kVariable = 14,
  kSection = 15,
  kFloat = 16,
  kDeclarationTag = 17,
  kTypeTag = 18,
  kEnumeration64 = 19,
};

constexpr u16 kMagic = 0xeb9f;
constexpr unsigned kMostHops = 64;

// The number of bytes after the common 12-byte header; nullopt for an unknown kind.
std::optional<std::size_t> rest_size(u32 kind, u32 count) {
  switch (kind) {
    case kInteger:
    case kVariable:
    case kDeclarationTag:
      return 4;
    case kArray:
      return 12;
    case kStructure:
    case kUnion:
    case kSection:
    case kEnumeration64:
      return std::size_t{12} * count;
    case kEnumeration:
    case kPrototype:
      return std::size_t{8} * count;
    case kPointer:
    case kForward:
    case kTypedef:
    case kVolatile:
    case kConst:
    case kRestrict:
    case kFunction:
    case kFloat:
    case kTypeTag:
      return 0;
    default:
      return std::nullopt;
  }
}

bool is_qualifier(u32 kind) { return kind == kVolatile || kind == kConst || kind == kRestrict || kind == kTypeTag; }

}  // namespace

u32 BtfTypes::word(std::size_t offset) const {
  u32 value = 0;
  if (offset + sizeof value <= bytes_.size()) std::memcpy(&value, bytes_.data() + offset, sizeof value);
  return value;
}

Result<BtfTypes> BtfTypes::parse(std::string bytes, std::string_view name, const BtfTypes* base) {
  BtfTypes btf;
  btf.bytes_ = std::move(bytes);
  btf.base_ = base;
  if (base != nullptr) btf.first_ = base->type_count();
  ByteReader reader(std::as_bytes(std::span(btf.bytes_)));
  const u16 magic = reader.get16();
  reader.skip(2);
  const u64 header = reader.get32(), types = reader.get32(), types_size = reader.get32(), strings = reader.get32(),
            strings_size = reader.get32();
  if (!reader.ok() || magic != kMagic)
    return fail(ErrorKind::Malformed, "{}: not BTF of this machine's byte order", name);
  const u64 size = btf.bytes_.size();
  if (header > size || types > size - header || types_size > size - header - types || strings > size - header ||
      strings_size > size - header - strings)
    return fail(ErrorKind::Malformed, "{}: sections extend past the end of the file", name);
  btf.types_ = header + types;
  btf.types_end_ = btf.types_ + types_size;
  btf.strings_ = header + strings;
  btf.strings_end_ = btf.strings_ + strings_size;
  PEREGRINE_TRY(btf.index(name));
  return btf;
}

Result<> BtfTypes::index(std::string_view name) {
  for (std::size_t at = types_; at < types_end_;) {
    if (types_end_ - at < 12) return fail(ErrorKind::Malformed, "{}: type {} is truncated", name, type_count());
    places_.push_back(static_cast<u32>(at - types_));
    const u32 info = word(at + 4);
    const u32 kind = info >> 24 & 0x1f, count = info & 0xffff;
    const auto rest = rest_size(kind, count);
    if (!rest || *rest > types_end_ - at - 12)
      return fail(ErrorKind::Malformed, "{}: type {} of kind {} is invalid", name, type_count() - 1, kind);
    if (kind == kFunction) functions_.try_emplace(string(word(at)), type_count() - 1);
    at += 12 + *rest;
  }
  return {};
}

std::string_view BtfTypes::string(u32 offset) const {
  u64 at = offset;
  if (base_ != nullptr) {
    const u64 of_base = base_->strings_end_ - base_->strings_;
    if (at < of_base) return base_->string(offset);
    at -= of_base;
  }
  if (at >= strings_end_ - strings_) return {};
  const char* text = bytes_.data() + strings_ + at;
  return {text, ::strnlen(text, strings_end_ - strings_ - at)};
}

std::optional<BtfTypes::Type> BtfTypes::type(u64 number) const {
  const BtfTypes& from = owner(number);
  if (number < from.first_ || number - from.first_ >= from.places_.size()) return std::nullopt;
  const std::size_t at = from.types_ + from.places_[number - from.first_];
  const u32 info = from.word(at + 4);
  return Type{from.word(at), info >> 24 & 0x1f, info & 0xffff, from.word(at + 8), info >> 31 != 0, at + 12};
}

// Looks through qualifiers, and with `names` through typedefs; nullopt for void.
std::optional<BtfTypes::Type> BtfTypes::resolved(u64 number, bool names, u64& at) const {
  for (unsigned hop = 0; hop < kMostHops; ++hop) {
    const auto found = type(number);
    at = number;
    if (!found || !(is_qualifier(found->kind) || (names && found->kind == kTypedef))) return found;
    number = found->size;
  }
  return std::nullopt;
}

std::optional<u64> BtfTypes::size_of(u64 number, unsigned depth) const {
  u64 at = 0;
  const auto found = resolved(number, true, at);
  if (!found || depth > kMostHops) return std::nullopt;
  switch (found->kind) {
    case kInteger:
    case kStructure:
    case kUnion:
    case kEnumeration:
    case kEnumeration64:
    case kFloat:
      return found->size;
    case kPointer:
      return sizeof(void*);
    case kArray: {
      const BtfTypes& from = owner(at);
      const auto element = size_of(from.word(found->rest), depth + 1);
      return element ? std::optional(*element * from.word(found->rest + 8)) : std::nullopt;
    }
    default:
      return std::nullopt;
  }
}

TypeShape BtfTypes::shape(TypeRef reference) const {
  TypeShape shape;
  u64 at = 0;
  const auto found = resolved(reference.index, true, at);
  if (!found) {
    shape.kind = TypeKind::Nothing;
    return shape;
  }
  const BtfTypes& from = owner(at);
  shape.name = string(found->name);
  shape.size = size_of(at);
  switch (found->kind) {
    case kInteger: {
      const u32 encoding = from.word(found->rest) >> 24 & 0xf;
      shape.kind = TypeKind::Integer;
      shape.is_signed = (encoding & 1) != 0;
      shape.is_character = found->size == 1 && shape.name.find("char") != std::string::npos;
      // Compilers omit the signed flag for plain char.
      if (shape.name == "char") shape.is_signed = true;
      break;
    }
    case kPointer:
      shape.kind = TypeKind::Pointer;
      shape.target = ref(found->size);
      break;
    case kArray:
      shape.kind = TypeKind::Array;
      shape.target = ref(from.word(found->rest));
      break;
    case kStructure:
      shape.kind = TypeKind::Structure;
      break;
    case kUnion:
      shape.kind = TypeKind::Union;
      break;
    case kEnumeration:
    case kEnumeration64:
      shape.kind = TypeKind::Enumeration;
      break;
    case kPrototype:
      shape.kind = TypeKind::Function;
      break;
    case kFloat:
      shape.kind = TypeKind::Float;
      break;
    default:
      break;
  }
  return shape;
}

std::vector<TypeMember> BtfTypes::members(TypeRef reference) const {
  std::vector<TypeMember> result;
  u64 at = 0;
  const auto found = resolved(reference.index, true, at);
  if (!found || (found->kind != kStructure && found->kind != kUnion)) return result;
  const BtfTypes& from = owner(at);
  for (u32 i = 0; i < found->count; ++i) {
    const std::size_t place = found->rest + std::size_t{12} * i;
    const u32 offset = from.word(place + 8);
    TypeMember member{.name = std::string(string(from.word(place))), .type = ref(from.word(place + 4))};
    const u32 bits = found->flag ? offset & 0xffffff : offset;
    member.bit_size = found->flag ? offset >> 24 : 0;
    member.offset = bits / 8;
    member.bit_start = bits;
    result.push_back(std::move(member));
  }
  return result;
}

TypeRef BtfTypes::find_enum(std::string_view name) const {
  for (u64 number = first_; number < type_count(); ++number) {
    const auto found = type(number);
    if (found && (found->kind == kEnumeration || found->kind == kEnumeration64) && string(found->name) == name)
      return ref(number);
  }
  return {};
}

std::vector<Enumerator> BtfTypes::enumerators(TypeRef reference) const {
  std::vector<Enumerator> result;
  u64 at = 0;
  const auto found = resolved(reference.index, true, at);
  if (!found || (found->kind != kEnumeration && found->kind != kEnumeration64)) return result;
  const BtfTypes& from = owner(at);
  const bool wide = found->kind == kEnumeration64;
  for (u32 i = 0; i < found->count; ++i) {
    const std::size_t place = found->rest + std::size_t{wide ? 12u : 8u} * i;
    const u64 low = from.word(place + 4), high = wide ? from.word(place + 8) : 0;
    const i64 value = wide          ? static_cast<i64>(high << 32 | low)
                      : found->flag ? static_cast<i32>(static_cast<u32>(low))
                                    : static_cast<i64>(low);
    result.push_back({std::string(string(from.word(place))), value});
  }
  return result;
}

std::string BtfTypes::text(TypeRef reference) const {
  std::string pointers;
  u64 number = reference.index, at = 0;
  auto found = resolved(number, false, at);
  for (unsigned i = 0; found && i < kMostHops && (found->kind == kPointer || found->kind == kArray); ++i) {
    pointers += '*';
    number = found->kind == kPointer ? found->size : owner(at).word(found->rest);
    found = resolved(number, false, at);
  }
  if (!found) return "void" + pointers;
  if (found->kind == kPrototype) return "(function_type)" + pointers;
  std::string_view kind;
  if (found->kind == kStructure || (found->kind == kForward && !found->flag)) kind = "struct ";
  if (found->kind == kUnion || (found->kind == kForward && found->flag)) kind = "union ";
  if (found->kind == kEnumeration || found->kind == kEnumeration64) kind = "enum ";
  const std::string_view name = string(found->name);
  return fmt::format("{}{}{}", kind, name.empty() ? "(unnamed)" : name, pointers);
}

TypeRef BtfTypes::find(std::string_view spelled) const {
  spelled = trim(spelled);
  while (spelled.ends_with('*')) spelled = trim(spelled.substr(0, spelled.size() - 1));
  for (const std::string_view keyword : {"const ", "struct ", "union ", "enum "})
    if (spelled.starts_with(keyword)) spelled = trim(spelled.substr(keyword.size()));
  for (u64 number = first_; number < type_count(); ++number) {
    const auto found = type(number);
    if (!found || found->name == 0) continue;
    switch (found->kind) {
      case kInteger:
      case kFloat:
      case kStructure:
      case kUnion:
      case kEnumeration:
      case kEnumeration64:
      case kTypedef:
        if (string(found->name) == spelled) return ref(number);
        break;
      default:
        break;
    }
  }
  return base_ == nullptr ? TypeRef() : base_->find(spelled);
}

std::optional<u64> BtfTypes::prototype(std::string_view function) const {
  const auto found = functions_.find(function);
  if (found == functions_.end()) return std::nullopt;
  const auto declared = type(found->second);
  const auto prototype = declared ? type(declared->size) : std::nullopt;
  return prototype && prototype->kind == kPrototype ? std::optional<u64>(declared->size) : std::nullopt;
}

std::optional<std::vector<BtfParameter>> BtfTypes::parameters(std::string_view function) const {
  const auto number = prototype(function);
  if (!number) return base_ == nullptr ? std::nullopt : base_->parameters(function);
  const auto found = type(*number);
  const BtfTypes& from = owner(*number);
  std::vector<BtfParameter> result;
  for (u32 i = 0; i < found->count; ++i) {
    const std::size_t place = found->rest + std::size_t{8} * i;
    const u32 type = from.word(place + 4);
    if (type == 0 && from.word(place) == 0) break;  // "..." of a variadic function
    result.push_back({std::string(string(from.word(place))), ref(type)});
  }
  return result;
}

TypeRef BtfTypes::result_type(std::string_view function) const {
  const auto number = prototype(function);
  if (!number) return base_ == nullptr ? TypeRef() : base_->result_type(function);
  return ref(type(*number)->size);
}

}  // namespace peregrine
