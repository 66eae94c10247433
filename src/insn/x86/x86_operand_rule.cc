#include "insn/x86/x86_operand_rule.h"

#include "insn/x86/x86_predicate.h"

namespace peregrine {

bool is_shown(const X86Instruction& x86, const ZydisDecodedOperand& operand, Syntax syntax, const ZydisNames& names) {
  if (operand.encoding == ZYDIS_OPERAND_ENCODING_MASK) return false;
  if (operand.type == ZYDIS_OPERAND_TYPE_IMMEDIATE && has_predicate_word(x86, names)) return false;
  const auto& decoded = x86.decoded;
  const bool x87 = decoded.meta.category == ZYDIS_CATEGORY_X87_ALU || decoded.meta.category == ZYDIS_CATEGORY_FCMOV;
  if (x87) {
    // The top of the stack is implied next to a memory operand and in instructions with a single operand.
    const bool top = operand.type == ZYDIS_OPERAND_TYPE_REGISTER && operand.reg.value == ZYDIS_REGISTER_ST0;
    if (top && x86.memory() != nullptr) return false;
    if (top && decoded.operand_count_visible == 2 && operand.id == 0) {
      switch (decoded.mnemonic) {
        case ZYDIS_MNEMONIC_FXCH:
        case ZYDIS_MNEMONIC_FCOM:
        case ZYDIS_MNEMONIC_FCOMP:
        case ZYDIS_MNEMONIC_FUCOM:
        case ZYDIS_MNEMONIC_FUCOMP:
        case ZYDIS_MNEMONIC_FLD:
          return false;
        default:
          return true;
      }
    }
    if (top && operand.id == 1 && (decoded.mnemonic == ZYDIS_MNEMONIC_FST || decoded.mnemonic == ZYDIS_MNEMONIC_FSTP))
      return false;
    const bool none = decoded.mnemonic == ZYDIS_MNEMONIC_FCOMPP || decoded.mnemonic == ZYDIS_MNEMONIC_FUCOMPP;
    return !none;
  }
  // AT&T syntax omits the count of a shift by one.
  if (syntax == Syntax::Att && operand.type == ZYDIS_OPERAND_TYPE_IMMEDIATE && is_shift_by_one(x86)) return false;
  // The multi-byte nop has a second register only in its encoding.
  if (decoded.meta.category == ZYDIS_CATEGORY_WIDENOP && decoded.mnemonic == ZYDIS_MNEMONIC_NOP) return operand.id == 0;
  return true;
}

bool is_shift_by_one(const X86Instruction& x86) {
  const auto& decoded = x86.decoded;
  return (decoded.opcode == 0xd0 || decoded.opcode == 0xd1) && decoded.opcode_map == ZYDIS_OPCODE_MAP_DEFAULT &&
         decoded.encoding == ZYDIS_INSTRUCTION_ENCODING_LEGACY;
}

std::string_view pointer_size(unsigned bits) {
  switch (bits) {
    case 8:
      return "BYTE PTR ";
    case 16:
      return "WORD PTR ";
    case 32:
      return "DWORD PTR ";
    case 48:
      return "FWORD PTR ";
    case 64:
      return "QWORD PTR ";
    case 80:
      return "TBYTE PTR ";
    case 128:
      return "XMMWORD PTR ";
    case 256:
      return "YMMWORD PTR ";
    case 512:
      return "ZMMWORD PTR ";
    default:
      return "";
  }
}

}  // namespace peregrine
