#include "base/types.h"
#include "unwind/arch/tables.h"
#include "unwind/unwind_arch.h"

namespace peregrine {

// x86-64 psABI, figure 3.36; perf's order is rax rdx rcx rbx rsi rdi rbp rsp r8..r15 rip. The saved registers are
// struct sigcontext's, in the ucontext at the stack pointer.
const UnwindArch& x86_64_unwind_arch() {
  static constexpr u8 kPerf[] = {0, 3, 2, 1, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23, 8};
  static constexpr u8 kTrampoline[] = {0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05};  // mov $15,%rax; syscall
  static constexpr u16 kSaved[] = {144, 136, 152, 128, 112, 104, 120, 160, 40, 48, 56, 64, 72, 80, 88, 96};
  static constexpr UnwindArch kArch{.word_size = 8,
                                    .stack_register = 7,
                                    .frame_register = 6,
                                    .pc_register = 16,
                                    .perf_numbers = kPerf,
                                    .perf_pc = 8,
                                    .trampoline = kTrampoline,
                                    .signal_registers = kSaved,
                                    .signal_pc = 168};
  return kArch;
}

// i386 psABI, table 2.14; perf's order is eax ecx edx ebx esp ebp esi edi eip. Three arguments, a siginfo and a
// ucontext follow at the stack pointer.
const UnwindArch& i386_unwind_arch() {
  static constexpr u8 kPerf[] = {0, 2, 3, 1, 7, 6, 4, 5, 8};
  static constexpr u8 kTrampoline[] = {0xb8, 0xad, 0, 0, 0, 0xcd, 0x80};  // mov $173,%eax; int $0x80
  static constexpr u16 kSaved[] = {204, 200, 196, 192, 188, 184, 180, 176};
  static constexpr UnwindArch kArch{.word_size = 4,
                                    .stack_register = 4,
                                    .frame_register = 5,
                                    .pc_register = 8,
                                    .perf_numbers = kPerf,
                                    .perf_pc = 8,
                                    .trampoline = kTrampoline,
                                    .signal_registers = kSaved,
                                    .signal_pc = 216};
  return kArch;
}

}  // namespace peregrine
