#include "insn/arm64_data_flow.h"

#include <cstring>
#include <span>

#include "base/types.h"
#include "insn/instruction.h"

namespace peregrine {
namespace {

constexpr u8 kFramePointer = 29, kLink = 30, kStackPointer = 31;
constexpr unsigned kThreadPointer = 0xde82;  // tpidr_el0 in the encoding of system registers

bool is_wide(arm64_reg reg) {
  return (reg >= ARM64_REG_X0 && reg <= ARM64_REG_X28) || reg == ARM64_REG_X29 || reg == ARM64_REG_X30 ||
         reg == ARM64_REG_SP;
}

u8 number_of(arm64_reg reg) {
  if (reg >= ARM64_REG_X0 && reg <= ARM64_REG_X28) return static_cast<u8>(reg - ARM64_REG_X0);
  if (reg >= ARM64_REG_W0 && reg <= ARM64_REG_W30) return static_cast<u8>(reg - ARM64_REG_W0);
  if (reg == ARM64_REG_X29) return kFramePointer;
  if (reg == ARM64_REG_X30) return kLink;
  if (reg == ARM64_REG_SP || reg == ARM64_REG_WSP) return kStackPointer;
  return kNoRegister;
}

using Operands = std::span<const cs_arm64_op>;

bool is_plain(const cs_arm64_op& operand) {
  return operand.shift.type == ARM64_SFT_INVALID && operand.ext == ARM64_EXT_INVALID;
}

u8 wide_register(const Operands& operands, std::size_t at) {
  return at < operands.size() && operands[at].type == ARM64_OP_REG && is_wide(operands[at].reg)
             ? number_of(operands[at].reg)
             : kNoRegister;
}

// Handles add and sub of a register with a constant, which may be shifted, or with a second register.
void describe_sum(const Operands& operands, bool minus, DataFlow& flow) {
  flow.from = wide_register(operands, 1);
  if (operands.size() < 3 || flow.from == kNoRegister) return;
  const cs_arm64_op& last = operands[2];
  if (last.type == ARM64_OP_IMM) {
    const i64 value = last.imm << (last.shift.type == ARM64_SFT_LSL ? last.shift.value : 0);
    flow.carry = Carry::AddConstant;
    flow.value = minus ? -value : value;
  } else {
    flow.carry = Carry::AddRegister;
    flow.second = !minus && is_plain(last) ? wide_register(operands, 2) : kNoRegister;
  }
}

// Capstone stores a system register's number in the register field, although it is not a value of that enum.
unsigned system_register(const cs_arm64_op& operand) {
  static_assert(sizeof operand.reg == sizeof(unsigned));
  unsigned number = 0;
  std::memcpy(&number, &operand.reg, sizeof number);
  return number;
}

void describe_carry(const cs_insn& decoded, const Operands& operands, DataFlow& flow) {
  flow.to = wide_register(operands, 0);
  if (flow.to == kNoRegister) return;
  switch (decoded.id) {
    case ARM64_INS_MOV:
      flow.from = wide_register(operands, 1);
      if (flow.from != kNoRegister && is_plain(operands[1])) flow.carry = Carry::Copy;
      return;
    case ARM64_INS_MOVZ:
    case ARM64_INS_MOVK:  // sets part of a constant; compilers leave this part zero before
      if (operands.size() < 2 || operands[1].type != ARM64_OP_IMM) return;
      flow.carry = decoded.id == ARM64_INS_MOVZ ? Carry::Constant : Carry::AddConstant;
      flow.from = decoded.id == ARM64_INS_MOVZ ? kNoRegister : flow.to;
      flow.value = operands[1].imm << (operands[1].shift.type == ARM64_SFT_LSL ? operands[1].shift.value & 63 : 0);
      return;
    case ARM64_INS_ADR:
    case ARM64_INS_ADRP:
      if (operands.size() < 2 || operands[1].type != ARM64_OP_IMM) return;
      flow.carry = Carry::Constant;
      flow.value = operands[1].imm;
      return;
    case ARM64_INS_ADD:
    case ARM64_INS_SUB:
      describe_sum(operands, decoded.id == ARM64_INS_SUB, flow);
      return;
    case ARM64_INS_LDR:
    case ARM64_INS_LDUR:
    case ARM64_INS_LDAR:
      flow.carry = Carry::Load;
      return;
    case ARM64_INS_LDP:
      flow.carry = Carry::Load;
      flow.also = wide_register(operands, 1);
      return;
    case ARM64_INS_MRS:
      if (operands.size() == 2 && operands[1].type == ARM64_OP_REG_MRS &&
          system_register(operands[1]) == kThreadPointer)
        flow.carry = Carry::Thread;
      return;
    case ARM64_INS_CSEL:
      flow.from = wide_register(operands, 1);
      flow.second = wide_register(operands, 2);
      if (flow.from != kNoRegister && flow.second != kNoRegister) flow.carry = Carry::Choose;
      return;
    default:
      return;
  }
}

// Returns the number of bytes of one register in the operand.
u32 register_size(const cs_arm64_op& operand) {
  if (operand.type != ARM64_OP_REG) return 0;
  const arm64_reg reg = operand.reg;
  if (reg >= ARM64_REG_Q0 && reg <= ARM64_REG_Q31) return 16;
  if (is_wide(reg) || reg == ARM64_REG_XZR || (reg >= ARM64_REG_D0 && reg <= ARM64_REG_D31)) return 8;
  return 4;
}

void describe_memory(const cs_arm64& detail, const Operands& operands, DataFlow& flow) {
  for (std::size_t at = 0; at < operands.size(); ++at) {
    if (operands[at].type != ARM64_OP_MEM) continue;
    const arm64_op_mem& mem = operands[at].mem;
    MemoryOperand memory{.base = number_of(mem.base), .index = number_of(mem.index), .offset = mem.disp};
    if (operands[at].shift.type == ARM64_SFT_LSL) memory.scale = static_cast<u8>(1u << (operands[at].shift.value & 7));
    memory.size = register_size(operands[0]);
    if (at == 2) memory.size *= 2;  // a register pair
    if (detail.writeback) {
      memory.stepped_after = at + 1 < operands.size() && operands[at + 1].type == ARM64_OP_IMM;
      memory.base_step = memory.stepped_after ? operands[at + 1].imm : mem.disp;
      if (memory.base != kNoRegister) flow.written |= u64{1} << memory.base;
    }
    flow.uses_stack = detail.writeback && memory.base == kStackPointer;
    flow.memory = memory;
    flow.touches_memory = true;
    return;
  }
}

// Comparisons are subtractions that discard the result, but capstone reports that they write their first operand.
bool compares(const cs_insn& decoded) {
  return decoded.id == ARM64_INS_CMP || decoded.id == ARM64_INS_CMN || decoded.id == ARM64_INS_TST ||
         decoded.id == ARM64_INS_CCMP || decoded.id == ARM64_INS_CCMN;
}

}  // namespace

void describe_arm64_data_flow(const cs_insn& decoded, DataFlow& flow) {
  const cs_arm64& detail = decoded.detail->arm64;
  const Operands operands(detail.operands, detail.op_count);
  for (const cs_arm64_op& operand : operands) {
    if (operand.type != ARM64_OP_REG || (operand.access & CS_AC_WRITE) == 0 || compares(decoded)) continue;
    if (const u8 number = number_of(operand.reg); number != kNoRegister) flow.written |= u64{1} << number;
  }
  if (flow.flow == Flow::Call) flow.written |= u64{1} << kLink;
  describe_memory(detail, operands, flow);
  describe_carry(decoded, operands, flow);
}

}  // namespace peregrine
