// Id<Tag>: a 32-bit index into a table. Each table has its own tag, so that ids of different tables cannot be mixed
// up.
#pragma once
#include <cstddef>
#include <functional>

#include "base/types.h"

namespace peregrine {

template <class Tag>
struct Id {
  static constexpr u32 kNone = 0xffffffffu;
  u32 value = kNone;

  constexpr Id() = default;
  constexpr explicit Id(u32 v) : value(v) {}
  constexpr bool valid() const { return value != kNone; }
  constexpr explicit operator bool() const { return valid(); }
  friend constexpr auto operator<=>(Id, Id) = default;
};

}  // namespace peregrine

template <class Tag>
struct std::hash<peregrine::Id<Tag>> {
  std::size_t operator()(peregrine::Id<Tag> id) const noexcept { return id.value * std::size_t{0x9e3779b97f4a7c15}; }
};
