// KnownValue: what is known of a register's value where a function's code is followed.
#pragma once
#include <array>

#include "analysis/data_type/member_place.h"

namespace peregrine {

struct KnownValue {
  enum class Kind : u8 {
    Unknown,
    Object,    // the address of an object of `type`, plus `offset`
    Frame,     // the address of the function's frame (DWARF's CFA), plus `offset`
    Constant,  // the virtual address `offset`
    Thread,    // the address of the running thread's own memory, plus `offset`
  };
  Kind kind = Kind::Unknown;
  bool walked = false;  // it goes along an array of such objects: which of them is not known
  i64 offset = 0;
  TypeRef type;
  friend bool operator==(const KnownValue&, const KnownValue&) = default;
};

// By DWARF's numbers; those of x86-64 and arm64 that addresses are kept in.
inline constexpr std::size_t kFollowedRegisters = 32;
using KnownValues = std::array<KnownValue, kFollowedRegisters>;

// What a value of that type, of the size of an address, leads to.
KnownValue value_of_type(const DwarfTypes& types, TypeRef type);
// The address that is `distance` bytes further.
KnownValue moved(const DwarfTypes& types, KnownValue value, i64 distance);
// What is known when it is one of two.
KnownValue either(const DwarfTypes& types, const KnownValue& a, const KnownValue& b);

}  // namespace peregrine
