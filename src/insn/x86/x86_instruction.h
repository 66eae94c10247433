// X86Instruction: Zydis's decoding of one instruction, and queries shared by both syntaxes.
#pragma once
#include <Zydis/Zydis.h>

#include <cstddef>
#include <span>

#include "base/types.h"

namespace peregrine {

// Name functions of the loaded library.
struct ZydisNames {
  decltype(ZydisMnemonicGetString)* mnemonic = nullptr;
  decltype(ZydisRegisterGetString)* register_name = nullptr;
};

struct X86Instruction {
  ZydisDecodedInstruction decoded;
  ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
  std::span<const std::byte> bytes;
  u64 address = 0;

  std::span<const ZydisDecodedOperand> visible() const { return {operands, decoded.operand_count_visible}; }
  bool is_64() const { return decoded.machine_mode == ZYDIS_MACHINE_MODE_LONG_64; }
  // The memory operand; nullptr if none is shown.
  const ZydisDecodedOperand* memory() const {
    for (const ZydisDecodedOperand& operand : visible())
      if (operand.type == ZYDIS_OPERAND_TYPE_MEMORY) return &operand;
    return nullptr;
  }
  bool has(ZydisInstructionAttributes attribute) const { return (decoded.attributes & attribute) != 0; }
};

inline bool is_general_register(const ZydisDecodedOperand& operand) {
  return operand.type == ZYDIS_OPERAND_TYPE_REGISTER && operand.reg.value >= ZYDIS_REGISTER_AL &&
         operand.reg.value <= ZYDIS_REGISTER_R15;
}
inline bool is_x87_register(ZydisRegister reg) { return reg >= ZYDIS_REGISTER_ST0 && reg <= ZYDIS_REGISTER_ST7; }

}  // namespace peregrine
