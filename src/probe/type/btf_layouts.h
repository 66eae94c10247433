// Layouts of the structs that system calls take, as the running kernel's type data (BTF) has them: `trace --force-btf`
// shows those in place of the built-in ones.
#pragma once
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "event/syscall/struct_layout.h"
#include "probe/type/btf_types.h"

namespace peregrine {

// Built-in layouts, and the C types that they are of.
struct LayoutType {
  std::string_view layout, type;
};
std::span<const LayoutType> layout_types();

// All members that lie within the `size` bytes that are read of the struct, those of structs inside it as
// "outer.inner", of unions the first one. Arrays but those of characters, and bit fields, are left out. Nothing when
// the kernel has no such type. `names` keeps the names, and outlives the layout.
std::optional<StructLayout> btf_layout(const BtfTypes& types, std::string_view layout, u16 size,
                                       std::deque<std::string>& names);

// The types of the running kernel. Errors: Unsupported, it does not describe them.
Result<BtfTypes> running_kernel_types();

}  // namespace peregrine
