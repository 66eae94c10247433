// DataFlow: how one instruction uses registers and memory, for tracking values through code.
//
// Returned by Disassembler::data_flow(), for x86-64 and arm64. Registers have DWARF numbers. Only instructions that
// carry addresses are described in detail (moves, loads, sums); for others, only what they change.
#pragma once
#include <optional>

#include "base/types.h"
#include "insn/instruction.h"

namespace peregrine {

inline constexpr u8 kNoRegister = 0xff;

// An additional base of an operand's address: the running thread's memory (x86's fs), or per-CPU memory, as in a kernel
// (gs).
enum class Segment : u8 { None, Thread, Processor };

struct MemoryOperand {
  u8 base = kNoRegister, index = kNoRegister;
  u8 scale = 1;  // of the index
  Segment segment = Segment::None;
  bool stepped_after = false;  // post-indexed: the base is changed after use
  i64 offset = 0;              // the address if there is no base or index
  i64 base_step = 0;           // added to the base
  u32 size = 0;                // bytes
  bool is_absolute() const { return base == kNoRegister && index == kNoRegister; }
};

enum class Carry : u8 {
  Nothing,      // the destination gets an untracked value
  Copy,         // to = from
  Constant,     // to = value
  Load,         // to = memory, and `also`, if set, the next eight bytes
  Address,      // to = the address of `memory`, without access
  AddConstant,  // to = from + value
  AddRegister,  // to = from + second; the second is unknown if it is not a register
  Choose,       // to = from or second
  Thread,       // to = the address of the running thread's memory
};

struct DataFlow {
  u32 size = 0;
  Flow flow = Flow::Next;
  std::optional<u64> jump;  // target of a direct jump or call
  Carry carry = Carry::Nothing;
  u8 to = kNoRegister, from = kNoRegister, second = kNoRegister, also = kNoRegister;
  i64 value = 0;
  std::optional<MemoryOperand> memory;
  bool touches_memory = false;  // the operand is read or written
  bool uses_stack = false;      // pushes or pops, as calls and returns do
  i64 stack_step = 0;           // added to the stack pointer by pushes and pops
  u64 written = 0;              // changed registers, one bit each
};

}  // namespace peregrine
