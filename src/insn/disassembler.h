// Disassembler: instruction bytes → Instruction, or DataFlow, one after the other.
//
// Zydis reads x86, capstone the rest. Both are loaded when first asked for, so that a command that disassembles nothing
// does not pay for them, and a machine without them learns so by an error that names the package. A disassembler
// belongs to one thread and keeps nothing between calls.
#pragma once
#include <memory>
#include <span>

#include "base/bytes.h"
#include "base/result.h"
#include "insn/data_flow.h"

namespace peregrine {

class Disassembler {
 public:
  virtual ~Disassembler() = default;
  // The instruction at the start of `bytes`, which lie at `address`. False when `bytes` is empty. What is no
  // instruction is returned as one that is not valid, of the size that a search for the next one should skip.
  virtual bool decode(std::span<const std::byte> bytes, u64 address, Instruction& instruction) = 0;
  // What the instruction there does with registers and memory. False where there is none, and for instruction sets of
  // which nobody here knows it.
  virtual bool data_flow(std::span<const std::byte> bytes, u64 address, DataFlow& flow) {
    static_cast<void>(bytes), static_cast<void>(address), static_cast<void>(flow);
    return false;
  }
};

// Unsupported: an instruction set that nobody here reads, or a library that is not installed.
Result<std::unique_ptr<Disassembler>> open_disassembler(Isa isa, Syntax syntax = Syntax::Att,
                                                        ByteOrder order = ByteOrder::Little);

}  // namespace peregrine
