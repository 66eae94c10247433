#include "insn/x86/x86_word.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

#include "base/types.h"
#include "insn/x86/x86_operand_rule.h"
#include "insn/x86/x86_predicate.h"

namespace peregrine {

namespace {

using M = ZydisMnemonic;
struct Spelling {
  M mnemonic;
  std::string_view word;
};

// Mnemonics that differ between binutils and Intel's manuals, in both syntaxes.
constexpr Spelling kBoth[] = {
    {ZYDIS_MNEMONIC_JZ, "je"},
    {ZYDIS_MNEMONIC_JNZ, "jne"},
    {ZYDIS_MNEMONIC_JNB, "jae"},
    {ZYDIS_MNEMONIC_JNBE, "ja"},
    {ZYDIS_MNEMONIC_JNL, "jge"},
    {ZYDIS_MNEMONIC_JNLE, "jg"},
    {ZYDIS_MNEMONIC_SETZ, "sete"},
    {ZYDIS_MNEMONIC_SETNZ, "setne"},
    {ZYDIS_MNEMONIC_SETNB, "setae"},
    {ZYDIS_MNEMONIC_SETNBE, "seta"},
    {ZYDIS_MNEMONIC_SETNL, "setge"},
    {ZYDIS_MNEMONIC_SETNLE, "setg"},
    {ZYDIS_MNEMONIC_CMOVZ, "cmove"},
    {ZYDIS_MNEMONIC_CMOVNZ, "cmovne"},
    {ZYDIS_MNEMONIC_CMOVNB, "cmovae"},
    {ZYDIS_MNEMONIC_CMOVNBE, "cmova"},
    {ZYDIS_MNEMONIC_CMOVNL, "cmovge"},
    {ZYDIS_MNEMONIC_CMOVNLE, "cmovg"},
    {ZYDIS_MNEMONIC_FCMOVNBE, "fcmovnbe"},
    {ZYDIS_MNEMONIC_INT3, "int3"},
    {ZYDIS_MNEMONIC_XLAT, "xlat"},
    {ZYDIS_MNEMONIC_STOSB, "stos"},
    {ZYDIS_MNEMONIC_STOSW, "stos"},
    {ZYDIS_MNEMONIC_STOSD, "stos"},
    {ZYDIS_MNEMONIC_STOSQ, "stos"},
    {ZYDIS_MNEMONIC_LODSB, "lods"},
    {ZYDIS_MNEMONIC_LODSW, "lods"},
    {ZYDIS_MNEMONIC_LODSD, "lods"},
    {ZYDIS_MNEMONIC_LODSQ, "lods"},
    {ZYDIS_MNEMONIC_SCASB, "scas"},
    {ZYDIS_MNEMONIC_SCASW, "scas"},
    {ZYDIS_MNEMONIC_SCASD, "scas"},
    {ZYDIS_MNEMONIC_SCASQ, "scas"},
    {ZYDIS_MNEMONIC_FXSAVE64, "fxsave64"},
    {ZYDIS_MNEMONIC_IRETD, "iret"},
};
constexpr Spelling kAtt[] = {
    {ZYDIS_MNEMONIC_CBW, "cbtw"},    {ZYDIS_MNEMONIC_CWDE, "cwtl"},     {ZYDIS_MNEMONIC_CDQE, "cltq"},
    {ZYDIS_MNEMONIC_CWD, "cwtd"},    {ZYDIS_MNEMONIC_CDQ, "cltd"},      {ZYDIS_MNEMONIC_CQO, "cqto"},
    {ZYDIS_MNEMONIC_MOVSD, "movsl"}, {ZYDIS_MNEMONIC_CMPSD, "cmpsl"},   {ZYDIS_MNEMONIC_INSD, "insl"},
    {ZYDIS_MNEMONIC_OUTSD, "outsl"}, {ZYDIS_MNEMONIC_MOVSXD, "movslq"}, {ZYDIS_MNEMONIC_PUSHAD, "pusha"},
    {ZYDIS_MNEMONIC_POPAD, "popa"},  {ZYDIS_MNEMONIC_PUSHFD, "pushf"},  {ZYDIS_MNEMONIC_PUSHFQ, "pushf"},
    {ZYDIS_MNEMONIC_POPFD, "popf"},  {ZYDIS_MNEMONIC_POPFQ, "popf"},
};
constexpr Spelling kIntel[] = {
    {ZYDIS_MNEMONIC_MOVSB, "movs"}, {ZYDIS_MNEMONIC_MOVSW, "movs"},   {ZYDIS_MNEMONIC_MOVSD, "movs"},
    {ZYDIS_MNEMONIC_MOVSQ, "movs"}, {ZYDIS_MNEMONIC_CMPSB, "cmps"},   {ZYDIS_MNEMONIC_CMPSW, "cmps"},
    {ZYDIS_MNEMONIC_CMPSD, "cmps"}, {ZYDIS_MNEMONIC_CMPSQ, "cmps"},   {ZYDIS_MNEMONIC_INSB, "ins"},
    {ZYDIS_MNEMONIC_INSW, "ins"},   {ZYDIS_MNEMONIC_INSD, "ins"},     {ZYDIS_MNEMONIC_OUTSB, "outs"},
    {ZYDIS_MNEMONIC_OUTSW, "outs"}, {ZYDIS_MNEMONIC_OUTSD, "outs"},   {ZYDIS_MNEMONIC_PUSHAD, "pusha"},
    {ZYDIS_MNEMONIC_POPAD, "popa"}, {ZYDIS_MNEMONIC_PUSHFD, "pushf"}, {ZYDIS_MNEMONIC_PUSHFQ, "pushf"},
    {ZYDIS_MNEMONIC_POPFD, "popf"}, {ZYDIS_MNEMONIC_POPFQ, "popf"},
};

template <std::size_t N>
std::string_view find_word(const Spelling (&table)[N], M mnemonic) {
  const auto found = std::ranges::find(table, mnemonic, &Spelling::mnemonic);
  return found == std::end(table) ? std::string_view() : found->word;
}

// Integer instructions that need an explicit size when no operand implies it.
constexpr M kSized[] = {
    ZYDIS_MNEMONIC_MOV,     ZYDIS_MNEMONIC_ADD, ZYDIS_MNEMONIC_OR,   ZYDIS_MNEMONIC_ADC, ZYDIS_MNEMONIC_SBB,
    ZYDIS_MNEMONIC_AND,     ZYDIS_MNEMONIC_SUB, ZYDIS_MNEMONIC_XOR,  ZYDIS_MNEMONIC_CMP, ZYDIS_MNEMONIC_TEST,
    ZYDIS_MNEMONIC_INC,     ZYDIS_MNEMONIC_DEC, ZYDIS_MNEMONIC_NOT,  ZYDIS_MNEMONIC_NEG, ZYDIS_MNEMONIC_MUL,
    ZYDIS_MNEMONIC_IMUL,    ZYDIS_MNEMONIC_DIV, ZYDIS_MNEMONIC_IDIV, ZYDIS_MNEMONIC_ROL, ZYDIS_MNEMONIC_ROR,
    ZYDIS_MNEMONIC_RCL,     ZYDIS_MNEMONIC_RCR, ZYDIS_MNEMONIC_SHL,  ZYDIS_MNEMONIC_SHR, ZYDIS_MNEMONIC_SAR,
    ZYDIS_MNEMONIC_BT,      ZYDIS_MNEMONIC_BTS, ZYDIS_MNEMONIC_BTR,  ZYDIS_MNEMONIC_BTC, ZYDIS_MNEMONIC_NOP,
    ZYDIS_MNEMONIC_PTWRITE,
};
constexpr M kFromInteger[] = {
    ZYDIS_MNEMONIC_CVTSI2SS,  ZYDIS_MNEMONIC_CVTSI2SD,   ZYDIS_MNEMONIC_VCVTSI2SS,
    ZYDIS_MNEMONIC_VCVTSI2SD, ZYDIS_MNEMONIC_VCVTUSI2SS, ZYDIS_MNEMONIC_VCVTUSI2SD,
};
constexpr M kReal[] = {ZYDIS_MNEMONIC_FADD, ZYDIS_MNEMONIC_FMUL,  ZYDIS_MNEMONIC_FCOM, ZYDIS_MNEMONIC_FCOMP,
                       ZYDIS_MNEMONIC_FSUB, ZYDIS_MNEMONIC_FSUBR, ZYDIS_MNEMONIC_FDIV, ZYDIS_MNEMONIC_FDIVR,
                       ZYDIS_MNEMONIC_FLD,  ZYDIS_MNEMONIC_FST,   ZYDIS_MNEMONIC_FSTP};
constexpr M kX87Integer[] = {ZYDIS_MNEMONIC_FIADD, ZYDIS_MNEMONIC_FIMUL,  ZYDIS_MNEMONIC_FICOM, ZYDIS_MNEMONIC_FICOMP,
                             ZYDIS_MNEMONIC_FISUB, ZYDIS_MNEMONIC_FISUBR, ZYDIS_MNEMONIC_FIDIV, ZYDIS_MNEMONIC_FIDIVR,
                             ZYDIS_MNEMONIC_FILD,  ZYDIS_MNEMONIC_FIST,   ZYDIS_MNEMONIC_FISTP, ZYDIS_MNEMONIC_FISTTP};

template <std::size_t N>
bool is_one_of(const M (&set)[N], M mnemonic) {
  return std::ranges::find(set, mnemonic) != std::end(set);
}

std::string_view integer_suffix(unsigned bits) {
  switch (bits) {
    case 8:
      return "b";
    case 16:
      return "w";
    case 32:
      return "l";
    case 64:
      return "q";
    default:
      return "";
  }
}

// Returns AT&T's size suffix, which is needed if no register operand implies the size.
std::string_view att_suffix(const X86Instruction& x86) {
  const auto& decoded = x86.decoded;
  const ZydisDecodedOperand* memory = x86.memory();
  if (memory == nullptr) return "";
  if (is_one_of(kReal, decoded.mnemonic))
    return memory->size == 32 ? "s" : memory->size == 64 ? "l" : memory->size == 80 ? "t" : "";
  if (is_one_of(kX87Integer, decoded.mnemonic))
    return memory->size == 16 ? "s" : memory->size == 32 ? "l" : memory->size == 64 ? "ll" : "";
  if (is_one_of(kFromInteger, decoded.mnemonic)) return integer_suffix(memory->size);
  if (narrows_vector(x86)) return memory->size == 128 ? "x" : memory->size == 256 ? "y" : "";
  if (!is_one_of(kSized, decoded.mnemonic)) return "";
  if (decoded.mnemonic == ZYDIS_MNEMONIC_NOP) return integer_suffix(decoded.operand_width);
  // A register operand implies the size, unless it is the shift count in %cl.
  for (const ZydisDecodedOperand& operand : x86.visible()) {
    if (operand.type != ZYDIS_OPERAND_TYPE_REGISTER) continue;
    const bool counts = decoded.meta.category == ZYDIS_CATEGORY_SHIFT || decoded.meta.category == ZYDIS_CATEGORY_ROTATE;
    if (!counts || operand.reg.value != ZYDIS_REGISTER_CL) return "";
  }
  return integer_suffix(memory->size);
}

// AT&T syntax names both sizes of movzx and movsx.
bool append_extension(const X86Instruction& x86, std::string& word) {
  const M mnemonic = x86.decoded.mnemonic;
  if (mnemonic != ZYDIS_MNEMONIC_MOVZX && mnemonic != ZYDIS_MNEMONIC_MOVSX) return false;
  word += mnemonic == ZYDIS_MNEMONIC_MOVZX ? "movz" : "movs";
  word += integer_suffix(x86.operands[1].size);
  word += integer_suffix(x86.operands[0].size);
  return true;
}

// AT&T's historical swap: fsub/fsubr and fdiv/fdivr are exchanged if the destination is not the top of the stack.
std::string_view swapped_x87(const X86Instruction& x86) {
  if (x86.decoded.opcode != 0xdc && x86.decoded.opcode != 0xde) return "";
  if (x86.memory() != nullptr) return "";
  switch (x86.decoded.mnemonic) {
    case ZYDIS_MNEMONIC_FSUB:
      return "fsubr";
    case ZYDIS_MNEMONIC_FSUBR:
      return "fsub";
    case ZYDIS_MNEMONIC_FDIV:
      return "fdivr";
    case ZYDIS_MNEMONIC_FDIVR:
      return "fdiv";
    case ZYDIS_MNEMONIC_FSUBP:
      return "fsubrp";
    case ZYDIS_MNEMONIC_FSUBRP:
      return "fsubp";
    case ZYDIS_MNEMONIC_FDIVP:
      return "fdivrp";
    case ZYDIS_MNEMONIC_FDIVRP:
      return "fdivp";
    default:
      return "";
  }
}

// Returns to another mode or segment, and pushes of constants, have a width in their names.
std::string_view width_word(const X86Instruction& x86, Syntax syntax) {
  const auto& decoded = x86.decoded;
  const bool att = syntax == Syntax::Att, wide = decoded.raw.rex.W != 0, short_name = !x86.is_64();
  switch (decoded.mnemonic) {
    case ZYDIS_MNEMONIC_SYSRET:
      return wide ? "sysretq" : att ? "sysretl" : "sysretd";
    case ZYDIS_MNEMONIC_SYSEXIT:
      return short_name ? "sysexit" : wide ? "sysexitq" : att ? "sysexitl" : "sysexitd";
    case ZYDIS_MNEMONIC_RET:
      if (decoded.meta.branch_type != ZYDIS_BRANCH_TYPE_FAR) return "";
      return att ? (wide ? "lretq" : "lret") : (wide ? "retfq" : "retf");
    case ZYDIS_MNEMONIC_PUSH:
      return decoded.operand_width == 16 && x86.operands[0].type == ZYDIS_OPERAND_TYPE_IMMEDIATE ? "pushw" : "";
    default:
      return "";
  }
}

bool is_movabs(const X86Instruction& x86) {
  if (x86.decoded.mnemonic != ZYDIS_MNEMONIC_MOV || !x86.is_64()) return false;
  const u8 opcode = x86.decoded.opcode;
  if (opcode >= 0xa0 && opcode <= 0xa3) return true;  // 64-bit absolute address
  return x86.decoded.raw.imm[0].size == 64;
}

// lock, rep and similar prefixes appear by name, and so do prefixes without effect.
std::string_view prefix_word(const X86Instruction& x86, std::size_t index) {
  const auto& prefix = x86.decoded.raw.prefixes[index];
  const bool ignored = prefix.type == ZYDIS_PREFIX_TYPE_IGNORED;
  switch (prefix.value) {
    case 0x66:  // REX.W overrides it
      return ignored || (prefix.type == ZYDIS_PREFIX_TYPE_EFFECTIVE && x86.decoded.raw.rex.W != 0) ? "data16" : "";
    case 0x67:
      return ignored ? "addr32" : "";
    case 0x26:
      return ignored ? "es" : "";
    case 0x2e:
      return ignored ? "cs" : "";
    case 0x36:
      return ignored ? "ss" : "";
    case 0x3e:
      return x86.has(ZYDIS_ATTRIB_HAS_NOTRACK) ? "notrack" : ignored ? "ds" : "";
    case 0x64:
      return ignored ? "fs" : "";
    case 0x65:
      return ignored ? "gs" : "";
    case 0xf0:
      return "lock";
    case 0xf2:
      if (x86.has(ZYDIS_ATTRIB_HAS_BND)) return "bnd";
      if (x86.has(ZYDIS_ATTRIB_HAS_XACQUIRE)) return "xacquire";
      return ignored || x86.has(ZYDIS_ATTRIB_HAS_REPNE) ? "repnz" : "";
    case 0xf3:
      if (x86.has(ZYDIS_ATTRIB_HAS_REP)) return "rep";
      if (x86.has(ZYDIS_ATTRIB_HAS_XRELEASE)) return "xrelease";
      return ignored || x86.has(ZYDIS_ATTRIB_HAS_REPE) ? "repz" : "";
    default:
      return "";
  }
}

// A REX prefix with bits that the instruction does not use.
std::string_view unused_rex(const X86Instruction& x86, std::size_t index) {
  static constexpr std::array<std::string_view, 16> kNames = {
      "rex",   "rex.B",  "rex.X",  "rex.XB",  "rex.R",  "rex.RB",  "rex.RX",  "rex.RXB",
      "rex.W", "rex.WB", "rex.WX", "rex.WXB", "rex.WR", "rex.WRB", "rex.WRX", "rex.WRXB"};
  const auto& prefix = x86.decoded.raw.prefixes[index];
  if (!x86.is_64() || (prefix.value & 0xf0) != 0x40) return "";
  const M mnemonic = x86.decoded.mnemonic;
  const bool branch = x86.decoded.meta.branch_type != ZYDIS_BRANCH_TYPE_NONE && x86.decoded.raw.modrm.offset == 0;
  if (prefix.type == ZYDIS_PREFIX_TYPE_IGNORED || (branch && mnemonic != ZYDIS_MNEMONIC_RET))
    return kNames[prefix.value & 15];
  return "";
}

void append_prefixes(const X86Instruction& x86, std::string& word) {
  for (std::size_t i = 0; i < x86.decoded.raw.prefix_count; ++i) {
    std::string_view name = prefix_word(x86, i);
    if (name.empty()) name = unused_rex(x86, i);
    if (!name.empty()) word.append(name).push_back(' ');
  }
}

// Whether the mnemonic names a vector instruction: movsd and cmpsd are both string and vector instructions.
bool is_vector_namesake(const X86Instruction& x86) {
  const M mnemonic = x86.decoded.mnemonic;
  if (mnemonic != ZYDIS_MNEMONIC_MOVSD && mnemonic != ZYDIS_MNEMONIC_CMPSD) return false;
  return x86.decoded.meta.category != ZYDIS_CATEGORY_STRINGOP;
}

std::string_view plain_word(const X86Instruction& x86, Syntax syntax, const ZydisNames& names) {
  const M mnemonic = x86.decoded.mnemonic;
  std::string_view name = width_word(x86, syntax);
  if (name.empty()) name = find_word(kBoth, mnemonic);
  if (name.empty() && !is_vector_namesake(x86))
    name = syntax == Syntax::Att ? find_word(kAtt, mnemonic) : find_word(kIntel, mnemonic);
  if (name.empty() && syntax == Syntax::Att) name = swapped_x87(x86);
  if (!name.empty()) return name;
  const char* own = names.mnemonic(mnemonic);
  return own == nullptr ? "(bad)" : own;
}

bool is_wide_xchg_nop(const ZydisDecodedInstruction& decoded) {  // 66 90
  return decoded.mnemonic == ZYDIS_MNEMONIC_NOP && decoded.length == 2 && decoded.opcode == 0x90 &&
         decoded.raw.prefixes[0].value == 0x66;
}

}  // namespace

void append_x86_word(const X86Instruction& x86, Syntax syntax, const ZydisNames& names, std::string& word) {
  if (is_wide_xchg_nop(x86.decoded)) {
    word = "xchg";
    return;
  }
  append_prefixes(x86, word);
  if (is_movabs(x86)) {
    word += "movabs";
    return;
  }
  if (append_predicate_word(x86, names, word)) return;
  if (syntax == Syntax::Att && append_extension(x86, word)) return;
  const std::string_view name = plain_word(x86, syntax, names);
  if (x86.decoded.meta.branch_type == ZYDIS_BRANCH_TYPE_FAR) {
    if (syntax == Syntax::Att && (name == "jmp" || name == "call")) word += 'l';
  }
  word += name;
  if (syntax == Syntax::Att) word += att_suffix(x86);
  if (x86.has(ZYDIS_ATTRIB_HAS_BRANCH_TAKEN)) word += ",pt";
  if (x86.has(ZYDIS_ATTRIB_HAS_BRANCH_NOT_TAKEN)) word += ",pn";
}

}  // namespace peregrine
