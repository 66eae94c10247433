// VariableLocation: where a variable is, derived symbolically from its DWARF expression.
//
//   DW_OP_breg7 16                          memory at register 7 + 16
//   DW_OP_fbreg -24                         memory at the frame's address - 24
//   DW_OP_breg5 8, deref, plus_uconst 16    memory at the word at register 5 + 8, + 16
//   DW_OP_breg5 0, stack_value              register 5
//
// Expressions are evaluated symbolically: a base plus offsets, each but the last read as memory. Register values are
// not available yet: probes name registers for the kernel, and data types follow them through code. Locations of other
// forms (pieces, computed values) are faults, which callers describe.
#pragma once
#include <cstddef>
#include <expected>
#include <functional>
#include <optional>
#include <vector>

#include "base/bytes.h"
#include "base/types.h"

namespace peregrine {

struct VariableLocation {
  enum class Base : u8 {
    Nothing,   // only offsets: a constant
    Register,  // the contents of DWARF register `reg`
    Address,   // a virtual address of the file, in the offset
    Frame,     // the function's call frame address (CFA)
    Thread,    // the module's thread-local block of the running thread
  };
  enum class Kind : u8 {
    Register,  // in register `reg`; offset and reads are empty
    Memory,
    Value,  // the sum itself is the variable's value
  };
  Kind kind = Kind::Memory;
  Base base = Base::Nothing;
  u64 reg = 0;
  std::vector<i64> reads;  // each is added, and the word there is read; innermost first
  i64 offset = 0;          // added last

  bool is_constant() const { return base == Base::Nothing && reads.empty(); }
  // Whether it can be used without reading memory first: base + offset is the address.
  bool is_direct_memory() const { return kind == Kind::Memory && reads.empty(); }
};

enum class LocationFault : u8 {
  Absent,            // an empty expression: optimized out
  TooLong,           // longer than any compiler's output
  Malformed,         // truncated, or without a result
  OtherRegister,     // `detail`: its number, at or above LocationContext::registers
  NoFrameBase,       // relative to the frame of a function without DW_AT_frame_base
  BadFrameBase,      // the frame base is malformed
  NoAddress,         // an address index without an address
  AtEntryOnly,       // only its value at the function's entry is known
  WideConstant,      // a constant of more than 64 bits
  InPieces,          // parts in several places
  OptimizedPointer,  // a pointer of which only the target's value is known
  ThreadLocal,       // thread-local memory that is not at a constant offset
  SumOfRegisters,    // more than one register
  Computed,          // `detail`: the DW_OP that is not a sum
};

struct LocationError {
  LocationFault fault = LocationFault::Malformed;
  u64 detail = 0;
};

struct LocationContext {
  ByteOrder order = ByteOrder::Little;
  unsigned address_size = 8;
  u64 registers = ~u64{0};                                 // number of registers that the caller can use
  std::optional<std::vector<std::byte>> frame_base;        // the function's DW_AT_frame_base
  bool at_entry = false;                                   // the code is the function's first instruction
  std::function<std::optional<u64>(u64)> indexed_address;  // looks up an entry of .debug_addr
};

std::expected<VariableLocation, LocationError> locate_variable(Bytes expression, const LocationContext& context);

// The offset of a member in its structure: the expression's result for the structure's address, minus that address.
// Nothing if it depends on memory, as with virtual bases.
std::optional<u64> evaluate_member_offset(Bytes expression, const LocationContext& context);

}  // namespace peregrine
