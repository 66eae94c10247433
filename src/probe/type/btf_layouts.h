// Layouts of the structs that system calls take, from the running kernel's BTF. `trace --force-btf` uses them instead
// of the built-in ones.
#pragma once
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/types.h"
#include "event/syscall/struct_layout.h"
#include "probe/type/btf_types.h"

namespace peregrine {

// A built-in layout and its C type.
struct LayoutType {
  std::string_view layout, type;
};
std::span<const LayoutType> layout_types();

// All members within the first `size` bytes of the struct, the part that is read. Members of nested structs are named
// "outer.inner"; a union contributes its first member. Arrays (except of characters) and bit fields are omitted.
// nullopt if the kernel has no such type. `names` holds the names and must outlive the layout.
std::optional<StructLayout> btf_layout(const BtfTypes& types, std::string_view layout, u16 size,
                                       std::deque<std::string>& names);

// The types of the running kernel; Unsupported if it has no BTF.
Result<BtfTypes> running_kernel_types();

}  // namespace peregrine
