// TypeSource: the C types of a program or kernel, wherever they are described: DWARF (DwarfTypes) or BTF (BtfTypes).
//
// A TypeRef is a handle of the source that gave it. shape() looks through names and qualifiers, text() keeps names.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/types.h"

namespace peregrine {

struct TypeRef {
  const void* owner = nullptr;
  u64 index = 0;
  bool valid = false;
  explicit operator bool() const { return valid; }
  friend bool operator==(const TypeRef&, const TypeRef&) = default;
};

enum class TypeKind { Nothing, Integer, Float, Pointer, Structure, Union, Enumeration, Array, Function, Other };

struct TypeShape {
  TypeKind kind = TypeKind::Other;
  std::string name;  // without "struct"
  std::optional<u64> size;
  bool is_signed = false;
  bool is_character = false;  // char or unsigned char, as strings are made of
  TypeRef target;             // of pointers and arrays
};

struct TypeMember {
  std::string name;  // empty: its members count as those of the structure
  TypeRef type;
  u64 offset = 0;     // bytes; of a bit field its bits counted from the start of the structure
  u64 bit_size = 0;   // 0: no bit field
  u64 bit_start = 0;  // of a bit field, from the start of the structure, lowest bit first
};

class TypeSource {
 public:
  virtual ~TypeSource() = default;
  virtual TypeShape shape(TypeRef type) const = 0;
  virtual std::vector<TypeMember> members(TypeRef type) const = 0;
  // As a declaration has it: "struct sock*", "size_t".
  virtual std::string text(TypeRef type) const = 0;
  // What a cast names, without its stars: "struct sock *", "outer_t".
  virtual TypeRef find(std::string_view spelled) const = 0;
};

}  // namespace peregrine
