// CodeBlocks: one function's instructions as data flows, in basic blocks.
//
//   steps    every instruction, ascending by address
//   blocks   [first, end) of steps, and possible successors
//
// Targets of computed jumps are unknown: blocks reached only by them have no predecessor.
#pragma once
#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "base/types.h"
#include "insn/data_flow.h"
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

// Returns how many bytes of code are available at that virtual address.
using ReadCode = std::function<std::size_t(u64 address, std::span<std::byte> out)>;

// `ranges`: the function's. Invalid bytes are skipped.
CodeBlocks read_code_blocks(std::vector<AddressRange> ranges, const ReadCode& read, Disassembler& disassembler);

}  // namespace peregrine
