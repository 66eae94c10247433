#include <array>
#include <string_view>

#include "abi/arch/registers.h"
#include "abi/arch/tables.h"

namespace peregrine::abi {

// Order of enum perf_event_riscv_regs.
const RegisterTable& riscv_registers() {
  static constexpr std::array<std::string_view, 32> kNames = {
      "pc", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "s0", "s1", "a0",  "a1",  "a2", "a3", "a4", "a5",
      "a6", "a7", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6",
  };
  static constexpr RegisterTable kTable{kNames, 0, 2, 0xffffffff};
  return kTable;
}

}  // namespace peregrine::abi
