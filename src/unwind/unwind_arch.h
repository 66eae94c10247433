// UnwindArch: what unwinding must know of an instruction set: register numbers of CFI and of perf, the frame record
// that frame pointers chain, the bytes of a signal trampoline.
//
// x86-64, i386 (also as the 32-bit programs of an x86-64 kernel) and arm64. Tables; nothing here depends on the host.
#pragma once
#include <array>
#include <span>

#include "abi/arch/registers.h"
#include "base/bytes.h"
#include "symbol/cfi/cfi_table.h"

namespace peregrine {

struct UnwindArch {
  static constexpr u8 kNoRegister = 0xff;

  unsigned word_size = 8;
  u8 stack_register = 0;                  // DWARF numbers
  u8 frame_register = 0;                  // points at the caller's own, with the return address behind it
  u8 pc_register = kNoRegister;           // holds the pc, where CFI has a number for it
  u8 link_register = kNoRegister;         // holds the return address until it is saved
  std::span<const u8> perf_numbers;       // by DWARF number: the bit in a sample's register mask
  unsigned perf_pc = 0;                   // the bit of the pc
  std::span<const u64> address_masks;     // that may take a signature off a return address, widest first
  std::span<const u8> trampoline;         // code that returns from a signal handler, where a libc wrote no CFI for it
  std::span<const u16> signal_registers;  // there: bytes from the stack pointer to each saved register, by DWARF number
  u16 signal_pc = 0;                      // and to the pc
};

// `registers_abi` is a sample's PERF_SAMPLE_REGS_ABI_*. Null for what cannot be unwound.
const UnwindArch* unwind_arch(abi::Arch arch, u64 registers_abi);

}  // namespace peregrine
