#include "insn/x86/x86_data_flow.h"

#include <array>
#include <span>

#include "base/types.h"

namespace peregrine {
namespace {

// DWARF numbers, indexed by the register number in the instruction.
constexpr std::array<u8, 16> kDwarfNumbers = {0, 2, 1, 3, 7, 6, 4, 5, 8, 9, 10, 11, 12, 13, 14, 15};
constexpr unsigned kHighBytes = 4;  // ah, ch, dh, bh follow the first four byte registers

u8 number_of(ZydisRegister reg) {
  const auto within = [reg](ZydisRegister first, ZydisRegister last) { return reg >= first && reg <= last; };
  if (within(ZYDIS_REGISTER_RAX, ZYDIS_REGISTER_R15)) return kDwarfNumbers[reg - ZYDIS_REGISTER_RAX];
  if (within(ZYDIS_REGISTER_EAX, ZYDIS_REGISTER_R15D)) return kDwarfNumbers[reg - ZYDIS_REGISTER_EAX];
  if (within(ZYDIS_REGISTER_AX, ZYDIS_REGISTER_R15W)) return kDwarfNumbers[reg - ZYDIS_REGISTER_AX];
  if (!within(ZYDIS_REGISTER_AL, ZYDIS_REGISTER_R15B)) return kNoRegister;
  const unsigned byte = reg - ZYDIS_REGISTER_AL;
  return kDwarfNumbers[byte < kHighBytes ? byte : byte - kHighBytes];
}

bool is_wide_register(const ZydisDecodedOperand& operand) {
  return operand.type == ZYDIS_OPERAND_TYPE_REGISTER && operand.reg.value >= ZYDIS_REGISTER_RAX &&
         operand.reg.value <= ZYDIS_REGISTER_R15;
}

Segment segment_of(ZydisRegister reg) {
  if (reg == ZYDIS_REGISTER_FS) return Segment::Thread;
  return reg == ZYDIS_REGISTER_GS ? Segment::Processor : Segment::None;
}

MemoryOperand describe_memory(const X86Instruction& x86, const ZydisDecodedOperand& operand) {
  MemoryOperand memory{.base = number_of(operand.mem.base),
                       .index = number_of(operand.mem.index),
                       .scale = operand.mem.scale,
                       .segment = segment_of(operand.mem.segment),
                       .offset = operand.mem.disp.value,
                       .size = operand.size / 8u};
  if (operand.mem.base == ZYDIS_REGISTER_RIP)
    memory.offset = static_cast<i64>(x86.address + x86.decoded.length + static_cast<u64>(operand.mem.disp.value));
  return memory;
}

// Returns the explicit memory operand. String instructions have none, so return their first implicit one.
const ZydisDecodedOperand* find_memory(const X86Instruction& x86, bool uses_stack) {
  if (x86.decoded.mnemonic == ZYDIS_MNEMONIC_NOP) return nullptr;
  if (const ZydisDecodedOperand* shown = x86.memory()) return shown;
  if (uses_stack) return nullptr;
  for (const ZydisDecodedOperand& operand : std::span(x86.operands, x86.decoded.operand_count))
    if (operand.type == ZYDIS_OPERAND_TYPE_MEMORY) return &operand;
  return nullptr;
}

bool uses_stack(const X86Instruction& x86) {
  switch (x86.decoded.meta.category) {
    case ZYDIS_CATEGORY_PUSH:
    case ZYDIS_CATEGORY_POP:
    case ZYDIS_CATEGORY_CALL:
    case ZYDIS_CATEGORY_RET:
      return true;
    default:
      return x86.decoded.mnemonic == ZYDIS_MNEMONIC_LEAVE || x86.decoded.mnemonic == ZYDIS_MNEMONIC_ENTER;
  }
}

// Describes instructions with two operands, the first of which is a 64-bit general register.
void describe_carry(const X86Instruction& x86, DataFlow& flow) {
  const std::span<const ZydisDecodedOperand> operands = x86.visible();
  const ZydisDecodedOperand& second = operands[1];
  const u8 from = is_wide_register(second) ? number_of(second.reg.value) : kNoRegister;
  flow.to = number_of(operands[0].reg.value);
  switch (x86.decoded.mnemonic) {
    case ZYDIS_MNEMONIC_MOV:
      flow.from = from;
      if (from != kNoRegister) flow.carry = Carry::Copy;
      if (second.type == ZYDIS_OPERAND_TYPE_MEMORY) flow.carry = Carry::Load;
      if (second.type == ZYDIS_OPERAND_TYPE_IMMEDIATE) {
        flow.carry = Carry::Constant;
        flow.value = second.imm.value.s;
      }
      return;
    case ZYDIS_MNEMONIC_LEA:
      flow.carry = Carry::Address;
      return;
    case ZYDIS_MNEMONIC_ADD:
    case ZYDIS_MNEMONIC_SUB: {
      const bool minus = x86.decoded.mnemonic == ZYDIS_MNEMONIC_SUB;
      flow.from = flow.to;
      flow.second = minus ? kNoRegister : from;
      flow.carry = Carry::AddRegister;
      if (second.type == ZYDIS_OPERAND_TYPE_IMMEDIATE) {
        flow.carry = Carry::AddConstant;
        flow.value = minus ? -second.imm.value.s : second.imm.value.s;
      }
      return;
    }
    default:
      if (x86.decoded.meta.category != ZYDIS_CATEGORY_CMOV || from == kNoRegister) return;
      flow.carry = Carry::Choose;
      flow.from = flow.to;
      flow.second = from;
  }
}

}  // namespace

void describe_x86_data_flow(const X86Instruction& x86, DataFlow& flow) {
  flow.uses_stack = uses_stack(x86);
  const i64 pushed = x86.decoded.operand_width / 8;
  if (x86.decoded.meta.category == ZYDIS_CATEGORY_PUSH) flow.stack_step = -pushed;
  if (x86.decoded.meta.category == ZYDIS_CATEGORY_POP) flow.stack_step = pushed;
  for (const ZydisDecodedOperand& operand : std::span(x86.operands, x86.decoded.operand_count)) {
    if (operand.type != ZYDIS_OPERAND_TYPE_REGISTER || (operand.actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) == 0)
      continue;
    if (const u8 number = number_of(operand.reg.value); number != kNoRegister) flow.written |= u64{1} << number;
  }
  if (const ZydisDecodedOperand* memory = find_memory(x86, flow.uses_stack)) {
    flow.memory = describe_memory(x86, *memory);
    flow.touches_memory = memory->mem.type != ZYDIS_MEMOP_TYPE_AGEN;
  }
  const std::span<const ZydisDecodedOperand> operands = x86.visible();
  if (!operands.empty() && operands[0].type == ZYDIS_OPERAND_TYPE_IMMEDIATE && operands[0].imm.is_relative)
    flow.jump = x86.address + x86.decoded.length + static_cast<u64>(operands[0].imm.value.s);
  if (operands.size() != 2) return;
  if (is_wide_register(operands[0])) {
    describe_carry(x86, flow);
  } else if (x86.decoded.mnemonic == ZYDIS_MNEMONIC_MOV && is_general_register(operands[0]) && operands[0].size == 32 &&
             operands[1].type == ZYDIS_OPERAND_TYPE_IMMEDIATE) {
    flow.carry = Carry::Constant;  // an address in a program linked at a fixed base
    flow.to = number_of(operands[0].reg.value);
    flow.value = static_cast<i64>(static_cast<u32>(operands[1].imm.value.u));
  }
}

}  // namespace peregrine
