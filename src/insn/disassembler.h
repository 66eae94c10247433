// Disassembler: decodes instruction bytes to Instruction or DataFlow, one at a time.
//
//   bytes ──▶ x86/ (Zydis) or capstone ──decode()──▶ Instruction   text and target, for people
//                                      └─data_flow()─▶ DataFlow    registers and memory, to follow values through code
//
// Zydis decodes x86, capstone the rest. Both are loaded on first use, so commands that do not disassemble do not pay
// for them; if missing, the error names the package. Use on one thread; keeps no state between calls.
#pragma once
#include <cstddef>
#include <memory>
#include <span>

#include "base/bytes.h"
#include "base/result.h"
#include "base/types.h"
#include "insn/data_flow.h"
#include "insn/instruction.h"

namespace peregrine {

class Disassembler {
 public:
  virtual ~Disassembler() = default;
  // The instruction at the start of `bytes`, located at `address`. False if `bytes` is empty. Invalid bytes are
  // returned as an invalid instruction with the size that a search for the next one should skip.
  virtual bool decode(std::span<const std::byte> bytes, u64 address, Instruction& instruction) = 0;
  // How the instruction uses registers and memory. False if it is invalid or its instruction set is not supported.
  virtual bool data_flow(std::span<const std::byte> bytes, u64 address, DataFlow& flow) {
    static_cast<void>(bytes), static_cast<void>(address), static_cast<void>(flow);
    return false;
  }
};

// Unsupported: an unsupported instruction set, or a library that is not installed.
Result<std::unique_ptr<Disassembler>> open_disassembler(Isa isa, Syntax syntax = Syntax::Att,
                                                        ByteOrder order = ByteOrder::Little);

}  // namespace peregrine
