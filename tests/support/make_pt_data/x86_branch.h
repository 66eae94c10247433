// The effect of an x86-64 instruction on control flow, decoded from its bytes.
//
// Covers only as much of the encoding as needed here; deliberately not the disassembler that is tested elsewhere.
#pragma once
#include <cstdint>
#include <span>

namespace peregrine::support {

enum class BranchKind : std::uint8_t {
  None,
  Conditional,  // jcc, loop, jrcxz
  Jump,         // direct
  Call,         // direct
  IndirectJump,
  IndirectCall,
  Return,
  Far,  // syscall, int, and anything else that may enter the kernel
};

struct X86Branch {
  BranchKind kind = BranchKind::None;
  unsigned size = 0;            // bytes; only for branches, otherwise 0
  bool calls_next = false;      // a call of the following instruction, which code uses to get its own address
  bool repeats_string = false;  // rep movs and similar: one instruction, many steps
};

// `code`: at least as many bytes as the instruction has; 15 always suffice.
X86Branch classify_x86(std::span<const std::uint8_t> code);

}  // namespace peregrine::support
