// FrameRegisters: the registers of one frame by DWARF number; some may be unknown.
#pragma once
#include <array>

#include "base/types.h"
#include "symbol/cfi/cfi_table.h"

namespace peregrine {

struct FrameRegisters {
  std::array<u64, kCfiRegisters> values;
  u64 known = 0;  // bit n: values[n] is valid

  FrameRegisters() { values.fill(0); }
  bool has(u64 reg) const { return reg < kCfiRegisters && (known >> reg & 1) != 0; }
  void set(unsigned reg, u64 value) {
    values[reg] = value;
    known |= u64{1} << reg;
  }
  void forget(unsigned reg) { known &= ~(u64{1} << reg); }
};

}  // namespace peregrine
