// CodeBlocks: one function's instructions as data flows, in blocks that are entered at their first one only.
//
//   steps    every instruction, ascending by address
//   blocks   [first, end) of steps, and the blocks that may come next
//
// Where a computed jump leads is not known: what only such jumps reach has nobody before it.
#pragma once
#include <functional>
#include <span>
#include <vector>

#include "insn/disassembler.h"
#include "symbol/dwarf/dwarf_unit.h"

namespace peregrine {

struct CodeStep {
  u64 address = 0;
  DataFlow flow;
};

struct CodeBlock {
  u32 first = 0, end = 0;
  std::vector<u32> next;
};

struct CodeBlocks {
  std::vector<CodeStep> steps;
  std::vector<CodeBlock> blocks;
};

// How many bytes of the code at that virtual address were there.
using ReadCode = std::function<std::size_t(u64 address, std::span<std::byte> out)>;

// `ranges`: of the function. Bytes that are no instruction are passed over.
CodeBlocks read_code_blocks(std::vector<AddressRange> ranges, const ReadCode& read, Disassembler& disassembler);

}  // namespace peregrine
