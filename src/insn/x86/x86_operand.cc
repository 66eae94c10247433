#include "insn/x86/x86_operand.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/types.h"
#include "insn/x86/x86_operand_rule.h"

namespace peregrine {

namespace {

using Operand = ZydisDecodedOperand;

void append_hex(std::string& out, u64 value) { fmt::format_to(std::back_inserter(out), "{:#x}", value); }

u64 cut(u64 value, unsigned bits) { return bits >= 64 || bits == 0 ? value : value & ((u64{1} << bits) - 1); }

class Writer {
 public:
  Writer(const X86Instruction& x86, Syntax syntax, const ZydisNames& names, Instruction& text)
      : x86_(x86), syntax_(syntax), names_(names), text_(text), out_(text.operands), att_(syntax == Syntax::Att) {}

  void write() {
    if (special()) return;
    const auto visible = x86_.visible();
    const bool forward = x86_.decoded.mnemonic == ZYDIS_MNEMONIC_ENTER;
    const bool implied = has_implied_xmm0(x86_.decoded.mnemonic);
    std::string_view rounding = rounding_word(x86_);
    if (att_ && implied) append_register(ZYDIS_REGISTER_XMM0);
    for (std::size_t i = 0; i < visible.size(); ++i) {
      const Operand& operand = att_ && !forward ? visible[visible.size() - 1 - i] : visible[i];
      if (!is_shown(x86_, operand, syntax_, names_)) continue;
      if (!out_.empty()) out_ += ',';
      if (att_ && is_vector(operand) && !rounding.empty()) out_.append(std::exchange(rounding, {})) += ',';
      append(operand);
      if (operand.id == 0) append_mask();
      if (operand.type == ZYDIS_OPERAND_TYPE_MEMORY) append_broadcast();
      const bool constants_follow = i + 1 == visible.size() || visible[i + 1].type == ZYDIS_OPERAND_TYPE_IMMEDIATE;
      if (!att_ && constants_follow) out_.append(std::exchange(rounding, {}));
    }
    if (!att_ && implied) append_register(ZYDIS_REGISTER_XMM0, ",");
  }

 private:
  static bool is_vector(const Operand& operand) {
    return operand.type == ZYDIS_OPERAND_TYPE_REGISTER && operand.reg.value >= ZYDIS_REGISTER_XMM0 &&
           operand.reg.value <= ZYDIS_REGISTER_ZMM31;
  }

  // Cases where binutils' operands differ from Intel's manuals.
  bool special() {
    const auto& decoded = x86_.decoded;
    if (decoded.mnemonic == ZYDIS_MNEMONIC_XLAT) {
      append_table();
      return true;
    }
    if (const std::string_view registers = att_ ? monitor_registers(x86_) : ""; !registers.empty()) {
      out_ += registers;
      return true;
    }
    if (decoded.mnemonic == ZYDIS_MNEMONIC_NOP && decoded.opcode == 0x90) {
      if (decoded.length == 2 && decoded.raw.prefixes[0].value == 0x66) out_ = att_ ? "%ax,%ax" : "ax,ax";
      return true;
    }
    return is_string_instruction() && append_string_operands();
  }

  // Appends the implicit table operand of xlat: [rbx].
  void append_table() {
    const unsigned width = x86_.decoded.address_width;
    if (!att_) out_ += pointer_size(8);
    for (const Operand& operand : std::span(x86_.operands, x86_.decoded.operand_count))
      if (operand.type == ZYDIS_OPERAND_TYPE_MEMORY) append_register(operand.mem.segment);
    out_ += att_ ? ":(" : ":[";
    append_register(width == 64 ? ZYDIS_REGISTER_RBX : width == 32 ? ZYDIS_REGISTER_EBX : ZYDIS_REGISTER_BX);
    out_ += att_ ? ')' : ']';
  }

  bool is_string_instruction() const {
    return x86_.decoded.meta.category == ZYDIS_CATEGORY_STRINGOP ||
           x86_.decoded.meta.category == ZYDIS_CATEGORY_IOSTRINGOP;
  }

  // Intel's manuals omit these implicit operands; binutils shows them all.
  bool append_string_operands() {
    std::string_view order;
    switch (x86_.decoded.opcode) {
      case 0xa4:
      case 0xa5:  // movs
        order = "DS";
        break;
      case 0xa6:
      case 0xa7:  // cmps
        order = "SD";
        break;
      case 0xaa:
      case 0xab:  // stos
        order = "DA";
        break;
      case 0xac:
      case 0xad:  // lods
        order = "AS";
        break;
      case 0xae:
      case 0xaf:  // scas
        order = "AD";
        break;
      case 0x6c:
      case 0x6d:  // ins
        order = "DP";
        break;
      case 0x6e:
      case 0x6f:  // outs
        order = "PS";
        break;
      default:
        return false;
    }
    append_string_operand(order[att_ ? 1 : 0]);
    out_ += ',';
    append_string_operand(order[att_ ? 0 : 1]);
    return true;
  }

  void append_string_operand(char which) {
    const bool bytes = (x86_.decoded.opcode & 1) == 0;
    const unsigned bits = bytes ? 8 : x86_.decoded.operand_width;
    if (which == 'A') {
      append_register(bits == 8    ? ZYDIS_REGISTER_AL
                      : bits == 16 ? ZYDIS_REGISTER_AX
                      : bits == 32 ? ZYDIS_REGISTER_EAX
                                   : ZYDIS_REGISTER_RAX);
      return;
    }
    if (which == 'P') {
      out_ += att_ ? "(%dx)" : "dx";
      return;
    }
    if (!att_) out_ += pointer_size(bits);
    const unsigned width = x86_.decoded.address_width;
    const ZydisRegister si = width == 64 ? ZYDIS_REGISTER_RSI : width == 32 ? ZYDIS_REGISTER_ESI : ZYDIS_REGISTER_SI;
    const ZydisRegister di = width == 64 ? ZYDIS_REGISTER_RDI : width == 32 ? ZYDIS_REGISTER_EDI : ZYDIS_REGISTER_DI;
    ZydisRegister segment = which == 'S' ? ZYDIS_REGISTER_DS : ZYDIS_REGISTER_ES;
    if (which == 'S')
      for (const Operand& operand : std::span(x86_.operands, x86_.decoded.operand_count))
        if (operand.type == ZYDIS_OPERAND_TYPE_MEMORY && operand.mem.segment != ZYDIS_REGISTER_ES)
          segment = operand.mem.segment;
    append_register(segment);
    out_ += att_ ? ":(" : ":[";
    append_register(which == 'S' ? si : di);
    out_ += att_ ? ')' : ']';
  }

  void append(const Operand& operand) {
    switch (operand.type) {
      case ZYDIS_OPERAND_TYPE_REGISTER:
        if (att_ && operand.reg.value == ZYDIS_REGISTER_DX && x86_.decoded.meta.category == ZYDIS_CATEGORY_IO) {
          out_ += "(%dx)";
          break;
        }
        if (att_ && is_branch()) out_ += '*';
        if (is_x87_register(operand.reg.value))
          append_x87_register(operand);
        else
          append_register(shown_register(operand));
        break;
      case ZYDIS_OPERAND_TYPE_MEMORY:
        if (att_ && is_branch()) out_ += '*';
        append_memory(operand);
        break;
      case ZYDIS_OPERAND_TYPE_POINTER:
        out_ += att_ ? fmt::format("${:#x},${:#x}", operand.ptr.segment, operand.ptr.offset)
                     : fmt::format("{:#x}:{:#x}", operand.ptr.segment, operand.ptr.offset);
        break;
      case ZYDIS_OPERAND_TYPE_IMMEDIATE:
        append_immediate(operand);
        break;
      case ZYDIS_OPERAND_TYPE_UNUSED:
        break;
    }
  }

  bool is_branch() const {
    return x86_.decoded.meta.category == ZYDIS_CATEGORY_CALL || x86_.decoded.meta.category == ZYDIS_CATEGORY_UNCOND_BR;
  }

  // The source of a move to a segment register has the operand size.
  ZydisRegister shown_register(const Operand& operand) const {
    const auto& decoded = x86_.decoded;
    const bool source = decoded.mnemonic == ZYDIS_MNEMONIC_MOV && decoded.opcode == 0x8e && operand.id == 1;
    if (!source || operand.reg.value < ZYDIS_REGISTER_AX || operand.reg.value > ZYDIS_REGISTER_R15W)
      return operand.reg.value;
    const ZydisRegister first = decoded.operand_width == 64   ? ZYDIS_REGISTER_RAX
                                : decoded.operand_width == 32 ? ZYDIS_REGISTER_EAX
                                                              : ZYDIS_REGISTER_AX;
    return static_cast<ZydisRegister>(first + (operand.reg.value - ZYDIS_REGISTER_AX));
  }

  void append_register(ZydisRegister reg, std::string_view before = {}) {
    out_ += before;
    if (att_) out_ += '%';
    if (att_ && reg >= ZYDIS_REGISTER_DR0 && reg <= ZYDIS_REGISTER_DR15) {
      out_ += fmt::format("db{}", reg - ZYDIS_REGISTER_DR0);
      return;
    }
    const char* name = names_.register_name(reg);
    out_ += name == nullptr ? "?" : name;
  }

  // The implicit top of the stack is "st"; a register number in the encoding gives "st(N)".
  void append_x87_register(const Operand& operand) {
    if (att_) out_ += '%';
    const bool chosen = operand.visibility == ZYDIS_OPERAND_VISIBILITY_EXPLICIT;
    out_ += chosen ? fmt::format("st({})", operand.reg.value - ZYDIS_REGISTER_ST0) : std::string("st");
  }

  void append_immediate(const Operand& operand) {
    if (operand.imm.is_relative) {
      u64 target = x86_.address + x86_.decoded.length + static_cast<u64>(operand.imm.value.s);
      if (!x86_.is_64()) target = cut(target, x86_.decoded.operand_width == 16 ? 16 : 32);
      text_.target = target;
      fmt::format_to(std::back_inserter(out_), "{:x}", target);
      return;
    }
    if (att_) out_ += '$';
    if (!att_ && is_shift_by_one(x86_)) {
      out_ += '1';
      return;
    }
    append_hex(out_, operand.imm.is_signed ? cut(operand.imm.value.u, immediate_bits()) : operand.imm.value.u);
  }

  // A sign-extended immediate is displayed at the width of the operand it is combined with.
  unsigned immediate_bits() const {
    const auto visible = x86_.visible();
    if (x86_.decoded.meta.category == ZYDIS_CATEGORY_PUSH)
      return x86_.decoded.operand_width == 16 ? 16u : x86_.decoded.stack_width;
    for (const Operand& operand : visible)
      if (operand.type == ZYDIS_OPERAND_TYPE_REGISTER || operand.type == ZYDIS_OPERAND_TYPE_MEMORY) return operand.size;
    return x86_.decoded.operand_width;
  }

  // %riz: the encoding has an index field that selects no register.
  bool has_idle_index() const {
    const auto& raw = x86_.decoded.raw;
    if (raw.sib.offset == 0 || raw.sib.index != 4 || x86_.decoded.address_width == 16) return false;
    const u8 rex_x = raw.rex.X;
    if (rex_x != 0) return false;
    return raw.sib.base != 4 || raw.sib.scale != 0;
  }

  void append_memory(const Operand& operand) {
    const auto& mem = operand.mem;
    if (!att_) append_size(operand);
    append_segment(mem);
    const bool relative = mem.base == ZYDIS_REGISTER_RIP || mem.base == ZYDIS_REGISTER_EIP;
    if (relative) {
      text_.data = x86_.address + x86_.decoded.length + static_cast<u64>(mem.disp.value);
      if (mem.base == ZYDIS_REGISTER_EIP) text_.data = cut(*text_.data, 32);
    }
    const bool registers = mem.base != ZYDIS_REGISTER_NONE || mem.index != ZYDIS_REGISTER_NONE;
    if (att_)
      append_att_memory(mem, registers);
    else
      append_intel_memory(mem, registers);
  }

  // "QWORD PTR ", or "QWORD BCST " for memory that is broadcast.
  void append_size(const Operand& operand) {
    if (x86_.decoded.mnemonic == ZYDIS_MNEMONIC_CMPXCHG16B) {
      out_ += "OWORD PTR ";
      return;
    }
    const std::string_view size = pointer_size(named_size(x86_, operand));
    out_ += size;
    if (!size.empty() && broadcast_count(x86_) != 0) out_.replace(out_.size() - 4, 4, "BCST ");
  }

  void append_segment(const ZydisDecodedOperandMem& mem) {
    const bool given = x86_.has(ZYDIS_ATTRIB_HAS_SEGMENT) && is_effective_segment();
    const bool absolute = !att_ && mem.base == ZYDIS_REGISTER_NONE && mem.index == ZYDIS_REGISTER_NONE;
    if (!given && !absolute) return;
    append_register(mem.segment == ZYDIS_REGISTER_NONE ? ZYDIS_REGISTER_DS : mem.segment);
    out_ += ':';
  }

  bool is_effective_segment() const {
    const auto& raw = x86_.decoded.raw;
    for (std::size_t i = 0; i < raw.prefix_count; ++i) {
      if (raw.prefixes[i].type != ZYDIS_PREFIX_TYPE_EFFECTIVE) continue;
      switch (raw.prefixes[i].value) {
        case 0x26:
        case 0x2e:
        case 0x36:
        case 0x3e:
        case 0x64:
        case 0x65:
          return true;
        default:
          break;
      }
    }
    return false;
  }

  void append_displacement(i64 value, bool with_sign) {
    const bool negative = value < 0;
    if (negative)
      out_ += '-';
    else if (with_sign)
      out_ += '+';
    append_hex(out_, negative ? ~static_cast<u64>(value) + 1 : static_cast<u64>(value));
  }

  void append_att_memory(const ZydisDecodedOperandMem& mem, bool registers) {
    if (!registers) {
      append_hex(out_, cut(static_cast<u64>(mem.disp.value), x86_.decoded.address_width));
      return;
    }
    if (mem.disp.has_displacement) append_displacement(mem.disp.value, false);
    out_ += '(';
    if (mem.base != ZYDIS_REGISTER_NONE) append_register(mem.base);
    if (mem.index != ZYDIS_REGISTER_NONE) {
      out_ += ',';
      append_register(mem.index);
      if (x86_.decoded.address_width != 16) out_ += fmt::format(",{}", std::max<unsigned>(mem.scale, 1));
    } else if (has_idle_index()) {
      out_ +=
          fmt::format(",%{},{}", x86_.decoded.address_width == 64 ? "riz" : "eiz", 1u << x86_.decoded.raw.sib.scale);
    }
    out_ += ')';
  }

  void append_intel_memory(const ZydisDecodedOperandMem& mem, bool registers) {
    if (!registers) {
      append_hex(out_, cut(static_cast<u64>(mem.disp.value), x86_.decoded.address_width));
      return;
    }
    out_ += '[';
    if (mem.base != ZYDIS_REGISTER_NONE) append_register(mem.base);
    if (mem.index != ZYDIS_REGISTER_NONE) {
      if (mem.base != ZYDIS_REGISTER_NONE) out_ += '+';
      append_register(mem.index);
      if (x86_.decoded.address_width != 16) out_ += fmt::format("*{}", std::max<unsigned>(mem.scale, 1));
    } else if (has_idle_index()) {
      out_ += fmt::format("+{}*{}", x86_.decoded.address_width == 64 ? "riz" : "eiz", 1u << x86_.decoded.raw.sib.scale);
    }
    if (mem.disp.has_displacement) {
      const bool relative = mem.base == ZYDIS_REGISTER_RIP;  // binutils never shows a minus sign here
      if (relative)
        append_hex(out_ += '+', static_cast<u64>(mem.disp.value));
      else
        append_displacement(mem.disp.value, true);
    }
    out_ += ']';
  }

  void append_mask() {
    const auto& mask = x86_.decoded.avx.mask;
    if (mask.reg == ZYDIS_REGISTER_NONE || mask.reg == ZYDIS_REGISTER_K0) return;
    out_ += '{';
    append_register(mask.reg);
    out_ += '}';
    const bool into_mask = x86_.operands[0].type == ZYDIS_OPERAND_TYPE_REGISTER &&
                           x86_.operands[0].reg.value >= ZYDIS_REGISTER_K0 &&
                           x86_.operands[0].reg.value <= ZYDIS_REGISTER_K7;
    const bool zeroes = mask.mode == ZYDIS_MASK_MODE_ZEROING || mask.mode == ZYDIS_MASK_MODE_CONTROL_ZEROING;
    if (zeroes && !into_mask) out_ += "{z}";
  }

  void append_broadcast() {
    const bool told = !att_ && (!narrows_vector(x86_) || x86_.decoded.avx.vector_length == 512);
    if (const unsigned count = broadcast_count(x86_); count != 0 && !told) out_ += fmt::format("{{1to{}}}", count);
  }

  const X86Instruction& x86_;
  Syntax syntax_;
  const ZydisNames& names_;
  Instruction& text_;
  std::string& out_;
  bool att_;
};

}  // namespace

void write_x86_operands(const X86Instruction& instruction, Syntax syntax, const ZydisNames& names, Instruction& text) {
  Writer(instruction, syntax, names, text).write();
}

}  // namespace peregrine
