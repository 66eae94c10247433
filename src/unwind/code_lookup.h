// CodeLookup: what the unwinder asks about the address space of a sample. Implemented above, where maps and dsos are
// known; one per worker.
#pragma once
#include <span>

#include "symbol/cfi/cfi_table.h"

namespace peregrine {

// A return address may be the first byte behind its function: the call lies before it. What a signal interrupted, and
// the frame that a sample hit, are where they are. So is a signal trampoline, although it looks like a caller.
enum class PcKind : u8 { Exact, Return };

// What is known of one pc.
struct CodeAt {
  const CfiTable* table = nullptr;
  const CfiRules* rules = nullptr;  // of `table`; null: no CFI covers the code
  bool executable = false;          // memory that programs may run
  bool trampoline = false;          // the code there returns from a signal handler; looked at only without rules
};

class CodeLookup {
 public:
  virtual ~CodeLookup() = default;
  virtual CodeAt at(u64 pc, PcKind kind) = 0;
  // What added to an address in the file of the code at `pc` gives the one in memory.
  virtual u64 bias(u64 pc) = 0;
  // Memory outside of the stack, as far as files tell it. False: unknown.
  virtual bool read(u64 address, std::span<std::byte> out) = 0;
};

}  // namespace peregrine
