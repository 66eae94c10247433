#include "symbol/cfi/cfi_program.h"

#include <cstddef>
#include <optional>
#include <utility>

#include "base/bytes.h"
#include "base/types.h"
#include "symbol/cfi/cfi_reader.h"
#include "symbol/cfi/cfi_table.h"

namespace peregrine {
namespace {

// Compilers nest a few; the bound limits the memory that a hostile file can take.
constexpr std::size_t kMaxRemembered = 64;

enum Operation : u8 {
  kNop = 0x00,
  kSetLocation = 0x01,
  kAdvance1 = 0x02,
  kAdvance2 = 0x03,
  kAdvance4 = 0x04,
  kOffset = 0x05,
  kRestore = 0x06,
  kUndefined = 0x07,
  kSameValue = 0x08,
  kRegister = 0x09,
  kRememberState = 0x0a,
  kRestoreState = 0x0b,
  kDefineCfa = 0x0c,
  kDefineCfaRegister = 0x0d,
  kDefineCfaOffset = 0x0e,
  kDefineCfaExpression = 0x0f,
  kExpression = 0x10,
  kOffsetSigned = 0x11,
  kDefineCfaSigned = 0x12,
  kDefineCfaOffsetSigned = 0x13,
  kValueOffset = 0x14,
  kValueOffsetSigned = 0x15,
  kValueExpression = 0x16,
  kAdvance8 = 0x1d,               // MIPS
  kNegateReturnStateAtPc = 0x2c,  // arm64: toggles whether return addresses are signed. The unwinder
  kNegateReturnState = 0x2d,      // ignores it: it strips signatures wherever it finds them.
  kArgumentsSize = 0x2e,          // GNU: only needed for exceptions
  kNegativeOffset = 0x2f,         // GNU
};

// Values of rules are kept in 32 bits, to keep tables small.
bool fits(i64 value) { return std::in_range<i32>(value); }

// Wraps as the machine does; callers reject results out of range.
i64 scaled(i64 factor, i64 unit) { return static_cast<i64>(static_cast<u64>(factor) * static_cast<u64>(unit)); }

}  // namespace

// The CIE's instructions define the initial state, which DW_CFA_restore returns to; they emit no rows.
const CfiProgram::Initial& CfiProgram::initial_of(const CfiCie& cie) {
  const auto [known, fresh] = initials_.try_emplace(cie.instructions.data());
  Initial& initial = known->second;
  if (!fresh) return initial;
  state_ = CfiState();
  remembered_.clear();
  initial.whole = follow(cie.instructions, true);
  initial.state = state_;
  return initial;
}

// state_ describes the code from location_ onwards, and moving the location emits it as a row.
bool CfiProgram::run(const CfiCie& cie, const CfiFde& fde) {
  if (cie.return_register >= kCfiRegisters) return false;
  cie_ = &cie;
  const Initial& initial = initial_of(cie);
  state_ = initial_state_ = initial.state;
  location_ = fde.start;
  remembered_.clear();
  builder_.begin(fde.start, fde.size);
  const bool whole = initial.whole && follow(fde.instructions, false);
  if (whole) emit();
  builder_.end();
  return whole;
}

bool CfiProgram::follow(Bytes instructions, bool initial) {
  initial_ = initial;
  instructions_ = instructions;
  CfiReader reader(instructions, source_.order, cie_->address_size);
  while (reader.left() != 0) {
    if (!step(reader, reader.get8()) || !reader.ok()) return false;
  }
  return true;
}

bool CfiProgram::step(CfiReader& reader, u8 operation) {
  // The upper two bits select one of three operations with the operand in the lower six; zero means that the whole
  // byte is the operation.
  constexpr u8 kAdvanceInside = 0x40, kOffsetInside = 0x80, kRestoreInside = 0xc0, kInside = 0x3f;
  switch (operation & ~kInside) {
    case kAdvanceInside:
      return advance(operation & kInside);
    case kOffsetInside:
      return put_scaled(operation & kInside, CfiRuleKind::AtOffset, static_cast<i64>(reader.unsigned_leb()));
    case kRestoreInside:
      return restore(operation & kInside);
    default:
      return step_extended(reader, operation);
  }
}

// Operands are read in separate statements, because C++ does not define the order in which arguments are evaluated.
bool CfiProgram::step_extended(CfiReader& reader, u8 operation) {
  switch (operation) {
    case kNop:
    case kNegateReturnState:
    case kNegateReturnStateAtPc:
      return true;
    case kArgumentsSize:
      reader.unsigned_leb();
      return true;
    case kSetLocation:
      return set_location(reader);
    case kAdvance1:
      return advance(reader.get8());
    case kAdvance2:
      return advance(reader.get16());
    case kAdvance4:
      return advance(reader.get32());
    case kAdvance8:
      return advance(reader.get64());
    case kOffset: {
      const u64 reg = reader.unsigned_leb();
      return put_scaled(reg, CfiRuleKind::AtOffset, static_cast<i64>(reader.unsigned_leb()));
    }
    case kOffsetSigned: {
      const u64 reg = reader.unsigned_leb();
      return put_scaled(reg, CfiRuleKind::AtOffset, reader.signed_leb());
    }
    case kNegativeOffset: {
      const u64 reg = reader.unsigned_leb();
      return put_scaled(reg, CfiRuleKind::AtOffset, scaled(static_cast<i64>(reader.unsigned_leb()), -1));
    }
    case kValueOffset: {
      const u64 reg = reader.unsigned_leb();
      return put_scaled(reg, CfiRuleKind::IsOffset, static_cast<i64>(reader.unsigned_leb()));
    }
    case kValueOffsetSigned: {
      const u64 reg = reader.unsigned_leb();
      return put_scaled(reg, CfiRuleKind::IsOffset, reader.signed_leb());
    }
    case kRestore:
      return restore(reader.unsigned_leb());
    case kUndefined:
      state_.put(reader.unsigned_leb(), CfiRuleKind::Undefined);
      return true;
    case kSameValue:
      state_.put(reader.unsigned_leb(), CfiRuleKind::SameValue);
      return true;
    case kRegister: {
      const u64 reg = reader.unsigned_leb();
      return put_register(reg, reader.unsigned_leb());
    }
    case kRememberState:
      if (remembered_.size() == kMaxRemembered) return false;
      remembered_.push_back(state_);
      return true;
    case kRestoreState:
      if (remembered_.empty()) return false;
      state_ = remembered_.back();
      remembered_.pop_back();
      return true;
    case kExpression:
      return put_expression(reader.unsigned_leb(), CfiRuleKind::AtExpression, reader);
    case kValueExpression:
      return put_expression(reader.unsigned_leb(), CfiRuleKind::IsExpression, reader);
    default:
      return step_cfa(reader, operation);
  }
}

// Defines the canonical frame address. Changing only its register or offset is valid only if it is not an expression.
bool CfiProgram::step_cfa(CfiReader& reader, u8 operation) {
  switch (operation) {
    case kDefineCfa: {
      const u64 reg = reader.unsigned_leb();
      return define_cfa(reg, static_cast<i64>(reader.unsigned_leb()));
    }
    case kDefineCfaSigned: {
      const u64 reg = reader.unsigned_leb();
      return define_cfa(reg, scaled(reader.signed_leb(), cie_->data_alignment));
    }
    case kDefineCfaRegister:
      return state_.cfa_register != CfiRules::kExpression && define_cfa(reader.unsigned_leb(), state_.cfa_value);
    case kDefineCfaOffset:
      return define_cfa_offset(static_cast<i64>(reader.unsigned_leb()));
    case kDefineCfaOffsetSigned:
      return define_cfa_offset(scaled(reader.signed_leb(), cie_->data_alignment));
    case kDefineCfaExpression: {
      const auto expression = builder_.expression(reader.take(reader.unsigned_leb()));
      if (!expression) return false;
      state_.cfa_register = CfiRules::kExpression;
      state_.cfa_value = *expression;
      return true;
    }
    default:
      return false;
  }
}

bool CfiProgram::set_location(CfiReader& reader) {
  PointerBases bases = source_.bases;
  // A pointer may be relative to its own place in the section; the reader counts from the first instruction.
  bases.section += static_cast<u64>(instructions_.data() - source_.bytes.data());
  const std::optional<u64> location = reader.pointer(cie_->pointer_encoding, bases);
  return location && *location >= location_ && advance_to(*location);
}

bool CfiProgram::advance(u64 delta) {
  const u64 next = location_ + delta * cie_->code_alignment;
  return next >= location_ && advance_to(next);
}

bool CfiProgram::advance_to(u64 location) {
  if (location != location_) emit();
  location_ = location;
  return true;
}

bool CfiProgram::put_scaled(u64 reg, CfiRuleKind kind, i64 factor) {
  const i64 value = scaled(factor, cie_->data_alignment);
  if (!fits(value)) return false;
  state_.put(reg, kind, static_cast<i32>(value));
  return true;
}

bool CfiProgram::put_register(u64 reg, u64 from) {
  if (from >= kCfiRegisters) {
    state_.put(reg, CfiRuleKind::Undefined);  // saved in a register that we do not track
  } else {
    state_.put(reg, CfiRuleKind::InRegister, static_cast<i32>(from));
  }
  return true;
}

bool CfiProgram::put_expression(u64 reg, CfiRuleKind kind, CfiReader& reader) {
  const Bytes bytes = reader.take(reader.unsigned_leb());
  if (!reader.ok() || reg >= kCfiRegisters) return true;
  const auto expression = builder_.expression(bytes);
  if (expression) state_.put(reg, kind, *expression);
  return expression.has_value();
}

bool CfiProgram::define_cfa(u64 reg, i64 offset) {
  if (reg >= kCfiRegisters || !fits(offset)) return false;
  state_.cfa_register = static_cast<u8>(reg);
  state_.cfa_value = static_cast<i32>(offset);
  return true;
}

bool CfiProgram::define_cfa_offset(i64 offset) {
  if (!fits(offset) || state_.cfa_register == CfiRules::kExpression) return false;
  state_.cfa_value = static_cast<i32>(offset);
  return true;
}

bool CfiProgram::restore(u64 reg) {
  // A CIE defines the rules to return to, so it cannot return to them itself.
  if (initial_) return false;
  if (reg < kCfiRegisters) state_.put(reg, initial_state_.rules[reg].kind, initial_state_.rules[reg].value);
  return true;
}

// Called when the location moves: all instructions at one address make one row.
void CfiProgram::emit() {
  if (!initial_) builder_.row(location_, state_, cie_->return_register, cie_->signal_frame);
}

}  // namespace peregrine
