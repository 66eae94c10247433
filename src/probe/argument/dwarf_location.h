// Where a variable is, from its DWARF expression to what the kernel can fetch: a register, memory, a constant.
//
// Expressions are followed symbolically: a register plus offsets, read as memory as often as the expression does. What
// no fetch of the kernel can say (values in pieces, of thread-local storage, known only to the caller) is an error that
// names it.
#pragma once
#include <functional>
#include <optional>

#include "base/bytes.h"
#include "base/result.h"
#include "probe/argument/fetch.h"
#include "symbol/cfi/cfi_table.h"

namespace peregrine {

struct LocationContext {
  u16 machine = 0;  // EM_*: whose registers
  unsigned address_size = 8;
  ByteOrder order = ByteOrder::Little;
  std::optional<std::vector<std::byte>> frame_base;  // the function's DW_AT_frame_base
  const CfiTable* frames = nullptr;
  u64 address = 0;        // of the probe
  bool at_entry = false;  // it is the function's first instruction
  i64 memory_bias = 0;    // what makes the offset of @+ of a virtual address
  std::string_view memory_base = "@+";
  std::string_view thread_base;  // what begins the place of a thread-local variable; empty: those are refused
  std::function<std::optional<u64>(u64)> indexed_address;
};

Result<VariablePlace> locate_variable(Bytes expression, const LocationContext& context);
// A DW_AT_const_value.
VariablePlace constant_place(i64 value);

// "%di" for a DWARF number; empty when the kernel has no name for it.
std::string_view probe_register(u16 machine, u64 number);
// "xmm0" for a DWARF number that the kernel has no name for; "DWARF register 99" where we have none either.
std::string unreadable_register(u16 machine, u64 number);

}  // namespace peregrine
