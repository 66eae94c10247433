// Converts a variable's DWARF location into something the kernel can fetch: a named register, memory or a constant.
//
// For locations that the kernel cannot fetch (values in pieces, in vector registers, or known only to the caller) the
// error gives the reason.
#pragma once
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/result.h"
#include "base/types.h"
#include "probe/argument/fetch.h"
#include "symbol/cfi/cfi_table.h"
#include "symbol/expression/variable_location.h"

namespace peregrine {

struct ProbedCode {
  u16 machine = 0;                   // EM_*: selects the register names
  const CfiTable* frames = nullptr;  // call frame information of the file
  u64 address = 0;                   // address of the probe
  i64 memory_bias = 0;               // add this to a virtual address to get the offset of @+
  std::string_view memory_base = "@+";
};

// Overwrites `context.registers` to match the machine.
Result<VariablePlace> place_variable(Bytes expression, LocationContext context, const ProbedCode& code);
// For DW_AT_const_value.
VariablePlace constant_place(i64 value);

// "%di" for a DWARF register number; empty if the kernel has no name for it.
std::string_view probe_register(u16 machine, u64 number);
// Named registers are numbered from 0; this is how many there are.
u64 probe_register_count(u16 machine);
// The name for error messages: "xmm0" for a register that the kernel cannot read, "DWARF register 99" if unknown.
std::string unreadable_register(u16 machine, u64 number);

}  // namespace peregrine
