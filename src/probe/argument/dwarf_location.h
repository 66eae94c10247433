// From a variable's location in numbers to what the kernel can fetch: a register by its name, memory, a constant.
//
// Locations that the kernel cannot fetch (values in pieces, in vector registers, known only to the caller) are errors
// that say why.
#pragma once
#include "base/result.h"
#include "probe/argument/fetch.h"
#include "symbol/cfi/cfi_table.h"
#include "symbol/expression/variable_location.h"

namespace peregrine {

struct ProbedCode {
  u16 machine = 0;                   // EM_*: selects the names of registers
  const CfiTable* frames = nullptr;  // call frame information of the file
  u64 address = 0;                   // of the probe
  i64 memory_bias = 0;               // add this to a virtual address to get the offset of @+
  std::string_view memory_base = "@+";
};

// `context.registers` is set from the machine.
Result<VariablePlace> place_variable(Bytes expression, LocationContext context, const ProbedCode& code);
// A DW_AT_const_value.
VariablePlace constant_place(i64 value);

// "%di" for a DWARF number; empty when the kernel has no name for it.
std::string_view probe_register(u16 machine, u64 number);
// Number of registers with a name, which are those from 0 on.
u64 probe_register_count(u16 machine);
// "xmm0" for a DWARF number that the kernel has no name for; "DWARF register 99" where we have none either.
std::string unreadable_register(u16 machine, u64 number);

}  // namespace peregrine
