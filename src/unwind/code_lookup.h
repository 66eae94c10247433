// CodeLookup: the unwinder's view of a sample's address space. Implemented by the layers that know maps and dsos; one
// per worker.
#pragma once
#include <cstddef>
#include <span>

#include "base/types.h"
#include "symbol/cfi/cfi_table.h"

namespace peregrine {

// A return address may be just past the end of its function, since the call precedes it. The pc of the sample or of an
// interrupted frame is exact; so is a signal trampoline's, although it looks like a caller.
enum class PcKind : u8 { Exact, Return };

// What is known about a pc.
struct CodeAt {
  const CfiTable* table = nullptr;
  const CfiRules* rules = nullptr;  // in `table`; null if no CFI covers the code
  bool executable = false;          // executable memory
  bool trampoline = false;          // code that returns from a signal handler; checked only if there are no rules
};

class CodeLookup {
 public:
  virtual ~CodeLookup() = default;
  virtual CodeAt at(u64 pc, PcKind kind) = 0;
  // Add this to a file address of the code at `pc` to get its memory address.
  virtual u64 bias(u64 pc) = 0;
  // Reads memory outside the stack from files. False if unavailable.
  virtual bool read(u64 address, std::span<std::byte> out) = 0;
};

}  // namespace peregrine
