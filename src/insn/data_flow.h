// DataFlow: what one instruction does with registers and memory, for who follows values through code.
//
// Made by Disassembler::data_flow(), for x86-64 and arm64. Registers are numbered as DWARF numbers them. Only what
// carries addresses from one place to another is told in detail: moves, loads, sums; of all else what it changes.
#pragma once
#include <optional>

#include "insn/instruction.h"

namespace peregrine {

inline constexpr u8 kNoRegister = 0xff;

// What an operand's address is counted from beside its registers: the running thread's own memory (x86's fs), or the
// processor's, as a kernel has it (gs).
enum class Segment : u8 { None, Thread, Processor };

struct MemoryOperand {
  u8 base = kNoRegister, index = kNoRegister;
  u8 scale = 1;  // of the index
  Segment segment = Segment::None;
  bool stepped_after = false;  // the base is used before it is stepped
  i64 offset = 0;              // without base and index the address itself
  i64 base_step = 0;           // what the base has more afterwards
  u32 size = 0;                // bytes
  bool is_absolute() const { return base == kNoRegister && index == kNoRegister; }
};

enum class Carry : u8 {
  Nothing,      // what was written holds something else
  Copy,         // to = from
  Constant,     // to = value
  Load,         // to = memory, and `also`, if any, the eight bytes behind
  Address,      // to = the address of `memory`, which is not touched
  AddConstant,  // to = from + value
  AddRegister,  // to = from + second; nobody knows the second when it is no register
  Choose,       // to = from or second
  Thread,       // to = the address of the running thread's own memory
};

struct DataFlow {
  u32 size = 0;
  Flow flow = Flow::Next;
  std::optional<u64> jump;  // where a direct jump or call leads
  Carry carry = Carry::Nothing;
  u8 to = kNoRegister, from = kNoRegister, second = kNoRegister, also = kNoRegister;
  i64 value = 0;
  std::optional<MemoryOperand> memory;
  bool touches_memory = false;  // the operand is read or written
  bool uses_stack = false;      // pushes or pops, as calls and returns do
  i64 stack_step = 0;           // what pushing and popping adds to the stack pointer
  u64 written = 0;              // registers that change, one bit each
};

}  // namespace peregrine
