// Expression: the small stack machine in which CFI may say where a register lies (DWARF 5, 2.5).
//
// Bytes come from files: stack depth and number of steps are bounded, so that no expression runs for long.
#pragma once
#include <optional>

#include "unwind/code_lookup.h"
#include "unwind/frame_registers.h"
#include "unwind/stack_memory.h"

namespace peregrine {

struct ExpressionContext {
  const FrameRegisters& registers;
  const StackMemory& stack;
  CodeLookup& lookup;
  u64 pc = 0;  // whose rules hold the expression
  ByteOrder order = ByteOrder::Little;
};

enum class ExpressionFault : u8 { None, Malformed, Memory, CutOff };

struct ExpressionResult {
  u64 value = 0;
  ExpressionFault fault = ExpressionFault::None;
};

// `initial` stands on the stack at first, if given: the CFA, in the rules of registers.
ExpressionResult evaluate_expression(Bytes expression, std::optional<u64> initial, const ExpressionContext& context);

}  // namespace peregrine
