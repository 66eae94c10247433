#include "unwind/unwinder.h"

#include <bit>
#include <cstddef>
#include <span>

#include "base/bytes.h"
#include "base/types.h"
#include "symbol/cfi/cfi_table.h"
#include "unwind/expression.h"

namespace peregrine {

bool make_unwind_input(const UnwindArch& arch, u64 mask, std::span<const u64> values, Bytes stack, bool stack_cut,
                       ByteOrder order, UnwindInput& out) {
  const u64 word_mask = arch.word_size == 8 ? ~u64{0} : 0xffffffffu;
  const auto find = [&](unsigned bit, u64& value) {
    if ((mask >> bit & 1) == 0) return false;
    // The values are those of the set bits only, lowest bit first.
    const auto index = static_cast<std::size_t>(std::popcount(mask & ((u64{1} << bit) - 1)));
    if (index >= values.size()) return false;
    value = values[index] & word_mask;
    return true;
  };
  out.arch = &arch;
  out.registers.known = 0;
  if (!find(arch.perf_pc, out.pc)) return false;
  for (unsigned reg = 0; reg < arch.perf_numbers.size(); ++reg) {
    if (find(arch.perf_numbers[reg], out.registers.values[reg])) out.registers.known |= u64{1} << reg;
  }
  if (!out.registers.has(arch.stack_register)) return false;
  out.stack = StackMemory(out.registers.values[arch.stack_register], stack, order, arch.word_size, stack_cut);
  return true;
}

UnwindStop Unwinder::unwind(UnwindInput& input, const UnwindLimits& limits, std::vector<u64>& out) {
  at_ = &input;
  stop_ = UnwindStop::Ended;
  bool after_call = false;
  for (unsigned frames = 0;; ++frames) {
    if (frames == limits.frames) return UnwindStop::DepthLimit;
    out.push_back(after_call && limits.callers_minus_one ? input.pc - 1 : input.pc);
    const u64 pc = input.pc;
    const u64 sp = input.registers.values[input.arch->stack_register];
    const Step done = step(after_call ? PcKind::Return : PcKind::Exact);
    if (done == Step::Stop) return stop_;
    if (input.pc == 0) return UnwindStop::Ended;
    // Any other loop moves the stack pointer and ends at the frame limit.
    if (input.pc == pc && input.registers.values[input.arch->stack_register] == sp) return UnwindStop::NoProgress;
    after_call = done == Step::Called;
  }
}

Unwinder::Step Unwinder::step(PcKind kind) {
  const CodeAt code = lookup_.at(at_->pc, kind);
  if (code.rules != nullptr) return step_by_rules(code);
  return code.trampoline ? step_over_signal() : step_by_frame_pointer();
}

Unwinder::Step Unwinder::step_by_rules(const CodeAt& code) {
  const UnwindArch& arch = *at_->arch;
  FrameRegisters& registers = at_->registers;
  if (arch.pc_register != UnwindArch::kNoRegister) registers.set(arch.pc_register, at_->pc);
  u64 cfa = 0;
  if (!cfa_of(code, cfa)) return Step::Stop;
  // All rules refer to the registers of this frame, even after some are recovered, so the caller's values are
  // collected before any of them is stored.
  std::array<u64, kCfiRegisters> fresh;
  u64 set = 0, lost = 0;
  const unsigned return_register = code.rules->return_register;
  for (const CfiRegisterRule& rule : code.table->registers(*code.rules)) {
    const u64 bit = u64{1} << rule.reg;
    if (rule.kind == CfiRuleKind::Undefined) {
      if (rule.reg == return_register) return stop(UnwindStop::Ended);
      lost |= bit;
    } else if (value_of(code, rule, cfa, fresh[rule.reg])) {
      set |= bit;
    } else if (rule.reg == return_register) {
      return Step::Stop;
    } else {
      lost |= bit;  // an error only if a caller needs this register
    }
  }
  const bool signal_frame = code.rules->signal_frame;
  const bool has_return = (set >> return_register & 1) != 0;
  for (u64 left = set; left != 0; left &= left - 1) {
    const auto reg = static_cast<unsigned>(std::countr_zero(left));
    registers.values[reg] = fresh[reg];
  }
  registers.known = (registers.known | set) & ~lost;
  // By definition, the CFA is the stack pointer before the call.
  if ((set >> arch.stack_register & 1) == 0) registers.set(arch.stack_register, cfa);
  // Without a rule, the return address is still in the link register, if the instruction set has one.
  if (!has_return && return_register != arch.link_register) return stop(UnwindStop::BadRules);
  if (!registers.has(return_register)) return stop(UnwindStop::BadMemory);
  at_->pc = unsigned_address(registers.values[return_register]);
  return signal_frame ? Step::Interrupted : Step::Called;
}

bool Unwinder::cfa_of(const CodeAt& code, u64& cfa) {
  const CfiRules& rules = *code.rules;
  if (rules.cfa_register == CfiRules::kExpression) return evaluate(code, rules.cfa_value, std::nullopt, cfa);
  if (!at_->registers.has(rules.cfa_register)) {
    stop(UnwindStop::BadMemory);
    return false;
  }
  cfa = at_->registers.values[rules.cfa_register] + static_cast<u64>(i64{rules.cfa_value});
  if (at_->arch->word_size == 4) cfa &= 0xffffffffu;
  return true;
}

bool Unwinder::value_of(const CodeAt& code, const CfiRegisterRule& rule, u64 cfa, u64& value) {
  switch (rule.kind) {
    case CfiRuleKind::AtOffset:
      return read(cfa + static_cast<u64>(i64{rule.value}), value);
    case CfiRuleKind::IsOffset:
      value = cfa + static_cast<u64>(i64{rule.value});
      return true;
    case CfiRuleKind::InRegister:
      value = at_->registers.values[static_cast<u32>(rule.value)];
      return at_->registers.has(static_cast<u32>(rule.value));
    case CfiRuleKind::IsExpression:
      return evaluate(code, rule.value, cfa, value);
    case CfiRuleKind::AtExpression: {
      u64 address = 0;
      return evaluate(code, rule.value, cfa, address) && read(address, value);
    }
    case CfiRuleKind::SameValue:
    case CfiRuleKind::Undefined:
      break;
  }
  return false;
}

bool Unwinder::evaluate(const CodeAt& code, i32 expression, std::optional<u64> initial, u64& value) {
  const ExpressionContext context{at_->registers, at_->stack, lookup_, at_->pc, code.table->order()};
  const ExpressionResult result = evaluate_expression(code.table->expression(expression), initial, context);
  value = result.value;
  switch (result.fault) {
    case ExpressionFault::None:
      return true;
    case ExpressionFault::Malformed:
      stop(UnwindStop::BadRules);
      return false;
    case ExpressionFault::CutOff:
      stop(UnwindStop::CutOff);
      return false;
    case ExpressionFault::Memory:
      break;
  }
  stop(UnwindStop::BadMemory);
  return false;
}

bool Unwinder::read(u64 address, u64& value) {
  if (at_->arch->word_size == 4) address &= 0xffffffffu;
  if (at_->stack.holds(address)) {
    value = at_->stack.at(address);
    return true;
  }
  stop_at(address);
  return false;
}

Unwinder::Step Unwinder::stop_at(u64 address) {
  return stop(at_->stack.is_cut_off(address) ? UnwindStop::CutOff : UnwindStop::BadMemory);
}

Unwinder::Step Unwinder::step_over_signal() {
  const UnwindArch& arch = *at_->arch;
  FrameRegisters& registers = at_->registers;
  const u64 sp = registers.values[arch.stack_register];
  u64 pc = 0;
  if (!read(sp + arch.signal_pc, pc)) return Step::Stop;
  for (unsigned reg = 0; reg < arch.signal_registers.size(); ++reg) {
    u64 value = 0;
    if (!read(sp + arch.signal_registers[reg], value)) return Step::Stop;
    registers.set(reg, value);
  }
  at_->pc = pc;
  return Step::Interrupted;
}

Unwinder::Step Unwinder::step_by_frame_pointer() {
  const UnwindArch& arch = *at_->arch;
  FrameRegisters& registers = at_->registers;
  const u64 word = arch.word_size;
  if (!registers.has(arch.frame_register)) return stop(UnwindStop::NoCfi);
  const u64 frame = registers.values[arch.frame_register];
  const u64 sp = registers.values[arch.stack_register];
  if (frame == 0) return stop(UnwindStop::Ended);
  if (frame < sp || frame % word != 0) return stop(UnwindStop::NoCfi);
  if (!at_->stack.holds(frame) || !at_->stack.holds(frame + word)) {
    return stop(at_->stack.is_cut_off(frame + word) ? UnwindStop::CutOff : UnwindStop::NoCfi);
  }
  //   frame ─▶ | the caller's frame pointer |     the callee's stack ends here; the caller's starts two words above
  //            | the return address         |
  const u64 next = at_->stack.at(frame);
  const u64 back = unsigned_address(at_->stack.at(frame + word));
  if (back == 0) return stop(UnwindStop::Ended);
  if (!lookup_.at(back, PcKind::Return).executable) return stop(UnwindStop::NoCfi);
  // The function may have changed all other registers, and nothing says where it saved them.
  registers.known = 0;
  registers.set(arch.stack_register, frame + 2 * word);
  registers.set(arch.frame_register, next);
  at_->pc = back;
  return Step::Called;
}

// On arm64 the bits above the user address space may be a signature. Only the maps show how large that space is.
u64 Unwinder::unsigned_address(u64 address) {
  if (at_->arch->word_size == 4) address &= 0xffffffffu;
  const auto masks = at_->arch->address_masks;
  if (masks.empty() || (address & ~masks.back()) == 0) return address;
  for (const u64 mask : masks) {
    if (lookup_.at(address & mask, PcKind::Return).executable) return address & mask;
  }
  return address & masks.front();
}

}  // namespace peregrine
