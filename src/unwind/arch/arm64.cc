#include "base/types.h"
#include "unwind/arch/tables.h"
#include "unwind/unwind_arch.h"

namespace peregrine {

// DWARF for the Arm 64-bit architecture, table 4; perf uses the same register numbers. Pointer authentication puts a
// signature into the bits above the user address space, which has 48, 42 or 39 bits. The saved registers are struct
// sigcontext's, in the ucontext after the siginfo.
const UnwindArch& arm64_unwind_arch() {
  static constexpr u8 kPerf[] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
                                 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31};
  static constexpr u64 kMasks[] = {0xffffffffffff, 0x3ffffffffff, 0x7fffffffff};
  static constexpr u8 kTrampoline[] = {0x68, 0x11, 0x80, 0xd2, 0x01, 0x00, 0x00, 0xd4};  // mov x8, #139; svc #0
  static constexpr u16 kSaved[] = {312, 320, 328, 336, 344, 352, 360, 368, 376, 384, 392, 400, 408, 416, 424, 432,
                                   440, 448, 456, 464, 472, 480, 488, 496, 504, 512, 520, 528, 536, 544, 552, 560};
  static constexpr UnwindArch kArch{.word_size = 8,
                                    .stack_register = 31,
                                    .frame_register = 29,
                                    .link_register = 30,
                                    .perf_numbers = kPerf,
                                    .perf_pc = 32,
                                    .address_masks = kMasks,
                                    .trampoline = kTrampoline,
                                    .signal_registers = kSaved,
                                    .signal_pc = 568};
  return kArch;
}

}  // namespace peregrine
