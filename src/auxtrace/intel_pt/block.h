// Block: a run of instructions up to the first that may lead elsewhere. What a trace leaves out, since code tells it.
//
// CodeSource answers where a block begins at an address; it keeps what it knows, so that code is read once.
#pragma once
#include <memory>
#include <vector>

#include "base/bytes.h"
#include "insn/disassembler.h"

namespace peregrine::auxtrace {

// How a block ends.
enum class Exit : u8 {
  Next,          // goes on: the block was cut, or code ends
  Jump,          // direct
  Conditional,   // direct, taken or not
  Call,          // direct
  IndirectJump,  //
  IndirectCall,  //
  Return,
  Syscall,          // into the kernel by an instruction
  SystemReturn,     // out of it
  InterruptReturn,  // iret
  Interrupt,        // int n
  Bad,              // no instruction stands there
};

struct Block {
  std::vector<u16> starts;  // of each instruction, in bytes from the block's start
  u32 size = 0;             // bytes
  u8 last_size = 0;         // of the last instruction
  Exit exit = Exit::Next;
  i64 target = 0;  // of a direct jump or call: bytes from the block's start

  u32 instructions() const { return static_cast<u32>(starts.size()); }
  // How many of its instructions stand before `offset`; -1 when none begins there.
  int index_of(u64 offset) const;
};

class CodeSource {
 public:
  virtual ~CodeSource() = default;
  // The block at an address, in code of 16, 32 or 64 bits. nullptr: no code is known there. Valid until the next call.
  virtual const Block* block(u64 ip, unsigned bits) = 0;
};

// The block at the start of these bytes, which lie at `address`; at most `limit` instructions. No instructions where
// the first one is cut.
Block make_block(Disassembler& disassembler, Bytes bytes, u64 address, unsigned limit = 64);

}  // namespace peregrine::auxtrace
