// KnownValue: what is known about a register's value at a point in a function.
#pragma once
#include <array>
#include <cstddef>

#include "base/types.h"
#include "probe/type/dwarf_types.h"
#include "probe/type/type_source.h"

namespace peregrine {

struct KnownValue {
  enum class Kind : u8 {
    Unknown,
    Object,    // address of an object of `type`, plus `offset`
    Frame,     // address of the function's frame (DWARF's CFA), plus `offset`
    Constant,  // the virtual address `offset`
    Thread,    // address of the running thread's thread-local memory, plus `offset`
  };
  Kind kind = Kind::Unknown;
  bool walked = false;  // step through an array of such objects; the index is unknown
  i64 offset = 0;
  TypeRef type;
  friend bool operator==(const KnownValue&, const KnownValue&) = default;
};

// Indexed by DWARF number; covers the registers that hold addresses on x86-64 and arm64.
inline constexpr std::size_t kFollowedRegisters = 32;
using KnownValues = std::array<KnownValue, kFollowedRegisters>;

// The target type of an address-sized value of that type.
KnownValue value_of_type(const DwarfTypes& types, TypeRef type);
// `value` plus `distance` bytes.
KnownValue moved(const DwarfTypes& types, KnownValue value, i64 distance);
// What two possible values have in common.
KnownValue either(const DwarfTypes& types, const KnownValue& a, const KnownValue& b);

}  // namespace peregrine
