#include <array>
#include <string_view>

#include "abi/arch/registers.h"
#include "abi/arch/tables.h"

namespace peregrine::abi {

// Order of enum perf_event_s390_regs.
const RegisterTable& s390_registers() {
  static constexpr std::array<std::string_view, 34> kNames = {
      "R0",  "R1",  "R2",   "R3",   "R4",   "R5",   "R6",   "R7",   "R8",   "R9",  "R10", "R11",
      "R12", "R13", "R14",  "R15",  "FP0",  "FP1",  "FP2",  "FP3",  "FP4",  "FP5", "FP6", "FP7",
      "FP8", "FP9", "FP10", "FP11", "FP12", "FP13", "FP14", "FP15", "MASK", "PC",
  };
  static constexpr RegisterTable kTable{kNames, 33, 15, 0x3ffffffff};
  return kTable;
}

}  // namespace peregrine::abi
