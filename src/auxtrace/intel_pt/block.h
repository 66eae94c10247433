// Block: instructions up to the first that may branch. Traces omit what the code implies.
//
// CodeSource returns the block at an address; it caches them, so that code is read once.
#pragma once
#include <vector>

#include "base/bytes.h"
#include "base/types.h"
#include "insn/disassembler.h"

namespace peregrine::auxtrace {

// How a block ends.
enum class Exit : u8 {
  Next,          // continues: the block was cut, or the code ends
  Jump,          // direct
  Conditional,   // direct, taken or not
  Call,          // direct
  IndirectJump,  //
  IndirectCall,  //
  Return,
  Syscall,          // system call instruction
  SystemReturn,     // return from it
  InterruptReturn,  // iret
  Interrupt,        // int n
  Bad,              // invalid instruction
};

struct Block {
  std::vector<u16> starts;  // offset of each instruction from the block's start
  u32 size = 0;             // bytes
  u8 last_size = 0;         // of the last instruction
  Exit exit = Exit::Next;
  i64 target = 0;  // of a direct jump or call, relative to the block's start

  u32 instructions() const { return static_cast<u32>(starts.size()); }
  // Index of the instruction at `offset`; -1 if none starts there.
  int index_of(u64 offset) const;
};

class CodeSource {
 public:
  virtual ~CodeSource() = default;
  // The block at an address, for 16, 32 or 64-bit code. nullptr if the code is unknown. Valid until the next call.
  virtual const Block* block(u64 ip, unsigned bits) = 0;
};

// Decodes the block at the start of `bytes`, located at `address`, with at most `limit` instructions. Empty if the
// first one is cut.
Block make_block(Disassembler& disassembler, Bytes bytes, u64 address, unsigned limit = 64);

}  // namespace peregrine::auxtrace
