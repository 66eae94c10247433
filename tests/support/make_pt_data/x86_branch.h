// What an x86-64 instruction does to the flow of control, read from its bytes.
//
// Only as much of the encoding as this needs; on purpose not the disassembler that is under test elsewhere.
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
  Far,  // syscall, int, and whatever else may enter the kernel
};

struct X86Branch {
  BranchKind kind = BranchKind::None;
  unsigned size = 0;            // bytes; only of branches, 0 for the rest
  bool calls_next = false;      // a call of the instruction after it, which code uses to learn its own address
  bool repeats_string = false;  // rep movs and its like: one instruction, many steps
};

// `code`: at least as many bytes as the instruction has; 15 always suffice.
X86Branch classify_x86(std::span<const std::uint8_t> code);

}  // namespace peregrine::support
