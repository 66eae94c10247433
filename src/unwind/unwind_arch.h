// UnwindArch: an instruction set's properties for unwinding: register numbers in CFI and perf, the frame record chained
// by frame pointers, the bytes of a signal trampoline.
//
// x86-64, i386 (also 32-bit programs on x86-64) and arm64. Tables; independent of the host.
#pragma once
#include <span>

#include "abi/arch/registers.h"
#include "base/types.h"

namespace peregrine {

struct UnwindArch {
  static constexpr u8 kNoRegister = 0xff;

  unsigned word_size = 8;
  u8 stack_register = 0;                  // DWARF numbers
  u8 frame_register = 0;                  // points at the caller's saved one, followed by the return address
  u8 pc_register = kNoRegister;           // holds the pc, if CFI has a number for it
  u8 link_register = kNoRegister;         // holds the return address until it is saved
  std::span<const u8> perf_numbers;       // bit in a sample's register mask, by DWARF number
  unsigned perf_pc = 0;                   // the bit of the pc
  std::span<const u64> address_masks;     // remove a signature from a return address, widest first
  std::span<const u8> trampoline;         // code that returns from a signal handler, if libc wrote no CFI
  std::span<const u16> signal_registers;  // there: stack offset of each saved register, by DWARF number
  u16 signal_pc = 0;                      // and of the pc
};

// `registers_abi`: a sample's PERF_SAMPLE_REGS_ABI_*. Null if unwinding is not supported.
const UnwindArch* unwind_arch(abi::Arch arch, u64 registers_abi);

}  // namespace peregrine
