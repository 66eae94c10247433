#include <array>
#include <string_view>

#include "abi/arch/registers.h"
#include "abi/arch/tables.h"

namespace peregrine::abi {

// Order of enum perf_event_powerpc_regs, up to MMCRA.
const RegisterTable& powerpc_registers() {
  static constexpr std::array<std::string_view, 45> kNames = {
      "r0",   "r1",  "r2",  "r3",    "r4",   "r5",  "r6",    "r7",   "r8",    "r9",  "r10",     "r11",
      "r12",  "r13", "r14", "r15",   "r16",  "r17", "r18",   "r19",  "r20",   "r21", "r22",     "r23",
      "r24",  "r25", "r26", "r27",   "r28",  "r29", "r30",   "r31",  "nip",   "msr", "orig_r3", "ctr",
      "link", "xer", "ccr", "softe", "trap", "dar", "dsisr", "sier", "mmcra",
  };
  static constexpr RegisterTable kTable{kNames, 32, 1, 0xfffffffffff};
  return kTable;
}

}  // namespace peregrine::abi
