#include <array>
#include <string_view>

#include "abi/arch/registers.h"
#include "abi/arch/tables.h"

namespace peregrine::abi {

// Order of enum perf_event_arm64_regs. VG is SVE's vector granule.
const RegisterTable& arm64_registers() {
  static constexpr std::array<std::string_view, 47> kNames = {
      "x0",  "x1",  "x2",  "x3",  "x4",  "x5",  "x6",  "x7",  "x8",  "x9",  "x10", "x11", "x12", "x13", "x14", "x15",
      "x16", "x17", "x18", "x19", "x20", "x21", "x22", "x23", "x24", "x25", "x26", "x27", "x28", "x29", "lr",  "sp",
      "pc",  "",    "",    "",    "",    "",    "",    "",    "",    "",    "",    "",    "",    "",    "vg",
  };
  static constexpr RegisterTable kTable{kNames, 32, 31, 0x1ffffffff};
  return kTable;
}

}  // namespace peregrine::abi
