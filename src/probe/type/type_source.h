// TypeSource: the C types of a program or kernel, described by DWARF (DwarfTypes) or BTF (BtfTypes).
//
// A TypeRef is only valid with the source that returned it. shape() looks through names and qualifiers; text() keeps
// names.
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
  bool is_character = false;  // char or unsigned char, the elements of strings
  TypeRef target;             // for pointers and arrays
};

struct TypeMember {
  std::string name;  // empty: its members belong to the enclosing structure
  TypeRef type;
  u64 offset = 0;     // in bytes; the position of a bit field is bit_start
  u64 bit_size = 0;   // 0: not a bit field
  u64 bit_start = 0;  // for a bit field, from the start of the structure, lowest bit first
};

class TypeSource {
 public:
  virtual ~TypeSource() = default;
  virtual TypeShape shape(TypeRef type) const = 0;
  virtual std::vector<TypeMember> members(TypeRef type) const = 0;
  // As in a declaration: "struct sock*", "size_t".
  virtual std::string text(TypeRef type) const = 0;
  // Looks up the type of a cast without its stars: "struct sock *", "outer_t".
  virtual TypeRef find(std::string_view spelled) const = 0;
};

}  // namespace peregrine
