#include <array>
#include <string_view>

#include "abi/arch/registers.h"
#include "abi/arch/tables.h"

namespace peregrine::abi {

// Order of enum perf_event_arm_regs.
const RegisterTable& arm_registers() {
  static constexpr std::array<std::string_view, 16> kNames = {
      "r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7", "r8", "r9", "r10", "fp", "ip", "sp", "lr", "pc",
  };
  static constexpr RegisterTable kTable{kNames, 15, 13, 0xffff};
  return kTable;
}

}  // namespace peregrine::abi
