// Evaluates DWARF expressions in CFI to addresses and register values, with a frame's registers and stack.
#pragma once
#include <optional>

#include "base/bytes.h"
#include "base/types.h"
#include "unwind/code_lookup.h"
#include "unwind/frame_registers.h"
#include "unwind/stack_memory.h"

namespace peregrine {

struct ExpressionContext {
  const FrameRegisters& registers;
  const StackMemory& stack;
  CodeLookup& lookup;
  u64 pc = 0;  // of the rules that contain the expression
  ByteOrder order = ByteOrder::Little;
};

enum class ExpressionFault : u8 { None, Malformed, Memory, CutOff };

struct ExpressionResult {
  u64 value = 0;
  ExpressionFault fault = ExpressionFault::None;
};

// `initial`, if given, is pushed first: the CFA, for register rules. Allocates nothing.
ExpressionResult evaluate_expression(Bytes expression, std::optional<u64> initial, const ExpressionContext& context);

}  // namespace peregrine
