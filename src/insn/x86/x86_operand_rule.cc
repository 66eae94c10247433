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

unsigned named_size(const X86Instruction& x86, const ZydisDecodedOperand& operand) {
  const auto& decoded = x86.decoded;
  switch (decoded.mnemonic) {
    case ZYDIS_MNEMONIC_LEA:
    case ZYDIS_MNEMONIC_LGDT:
    case ZYDIS_MNEMONIC_SGDT:
    case ZYDIS_MNEMONIC_LIDT:
    case ZYDIS_MNEMONIC_SIDT:
    case ZYDIS_MNEMONIC_INVPCID:
    case ZYDIS_MNEMONIC_LDDQU:
      return 0;
    case ZYDIS_MNEMONIC_MOV:  // not for absolute addresses
      return decoded.opcode >= 0xa0 && decoded.opcode <= 0xa3 ? 0 : operand.size;
    case ZYDIS_MNEMONIC_CLFLUSH:
    case ZYDIS_MNEMONIC_CLFLUSHOPT:
    case ZYDIS_MNEMONIC_CLWB:
      return 8;
    case ZYDIS_MNEMONIC_NOP:
      return decoded.operand_width;
    default:
      return operand.size;
  }
}

bool narrows_vector(const X86Instruction& x86) {
  switch (x86.decoded.mnemonic) {
    case ZYDIS_MNEMONIC_VCVTPD2PS:
    case ZYDIS_MNEMONIC_VCVTPD2DQ:
    case ZYDIS_MNEMONIC_VCVTTPD2DQ:
    case ZYDIS_MNEMONIC_VCVTPD2UDQ:
    case ZYDIS_MNEMONIC_VCVTTPD2UDQ:
    case ZYDIS_MNEMONIC_VCVTQQ2PS:
    case ZYDIS_MNEMONIC_VCVTUQQ2PS:
      return true;
    default:
      return false;
  }
}

bool has_implied_xmm0(ZydisMnemonic mnemonic) {
  return mnemonic == ZYDIS_MNEMONIC_BLENDVPS || mnemonic == ZYDIS_MNEMONIC_BLENDVPD ||
         mnemonic == ZYDIS_MNEMONIC_PBLENDVB || mnemonic == ZYDIS_MNEMONIC_SHA256RNDS2;
}

std::string_view rounding_word(const X86Instruction& x86) {
  const auto& avx = x86.decoded.avx;
  if (!avx.has_sae) return "";
  switch (avx.rounding.mode) {
    case ZYDIS_ROUNDING_MODE_RN:
      return "{rn-sae}";
    case ZYDIS_ROUNDING_MODE_RD:
      return "{rd-sae}";
    case ZYDIS_ROUNDING_MODE_RU:
      return "{ru-sae}";
    case ZYDIS_ROUNDING_MODE_RZ:
      return "{rz-sae}";
    default:
      return "{sae}";
  }
}

unsigned broadcast_count(const X86Instruction& x86) {
  const auto& broadcast = x86.decoded.avx.broadcast;
  if (broadcast.is_static) return 0;
  switch (broadcast.mode) {
    case ZYDIS_BROADCAST_MODE_1_TO_2:
      return 2;
    case ZYDIS_BROADCAST_MODE_1_TO_4:
      return 4;
    case ZYDIS_BROADCAST_MODE_1_TO_8:
      return 8;
    case ZYDIS_BROADCAST_MODE_1_TO_16:
      return 16;
    case ZYDIS_BROADCAST_MODE_1_TO_32:
      return 32;
    default:
      return 0;
  }
}

std::string_view monitor_registers(const X86Instruction& x86) {
  switch (x86.decoded.mnemonic) {
    case ZYDIS_MNEMONIC_MONITOR:
    case ZYDIS_MNEMONIC_MONITORX:
      return x86.decoded.address_width == 64 ? "%rax,%ecx,%edx" : "%eax,%ecx,%edx";
    case ZYDIS_MNEMONIC_MWAIT:
      return "%eax,%ecx";
    case ZYDIS_MNEMONIC_MWAITX:
      return "%eax,%ecx,%ebx";
    default:
      return "";
  }
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
