#include <array>
#include <string_view>

#include "abi/arch/registers.h"
#include "abi/arch/tables.h"

namespace peregrine::abi {

// Order of enum perf_event_x86_regs. DS to GS exist only in 32-bit processes; an XMM register takes two words.
const RegisterTable& x86_registers() {
  static constexpr std::array<std::string_view, 64> kNames = {
      "AX",    "BX",   "CX",    "DX",   "SI",    "DI",   "BP",    "SP",   "IP",    "FLAGS", "CS",    "SS",   "DS",
      "ES",    "FS",   "GS",    "R8",   "R9",    "R10",  "R11",   "R12",  "R13",   "R14",   "R15",   "",     "",
      "",      "",     "",      "",     "",      "",     "XMM0",  "",     "XMM1",  "",      "XMM2",  "",     "XMM3",
      "",      "XMM4", "",      "XMM5", "",      "XMM6", "",      "XMM7", "",      "XMM8",  "",      "XMM9", "",
      "XMM10", "",     "XMM11", "",     "XMM12", "",     "XMM13", "",     "XMM14", "",      "XMM15", "",
  };
  static constexpr RegisterTable kTable{kNames, 8, 7, 0xff0fff, 0xffffffff00000000};
  return kTable;
}

}  // namespace peregrine::abi
