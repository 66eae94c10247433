// ExpressionMachine: runs a DWARF expression on its stack. The only place that decodes these operations.
//
//   expression ──▶ ExpressionMachine ── what a register, an address, memory is ──▶ Domain
//                    stack of Domain::Value
//
// The domain decides what a value is. The unwinder's values are numbers, because it has registers and memory
// (unwind/expression.h); those of variables are sums of a register and an offset (variable_location.h). A template,
// because the unwinder evaluates some expressions per stack: no virtual calls, and no allocation with a FixedStack.
//
// Expressions come from files: stack depth and number of steps are limited, so evaluation always ends. A domain has:
//
//   using Value, Stack;                      // Stack: FixedStack<Value, kExpressionDepth> or std::vector<Value>
//   Value constant(u64);                     // signed constants are extended to 64 bits
//   bool address(u64, Value& out);           // DW_OP_addr
//   bool register_value(u64 reg, i64 offset, Value& out);  // DW_OP_breg: contents plus offset
//   bool in_register(u64 reg, Value& out);   // DW_OP_reg: the register itself
//   bool dereference(Value&, unsigned size);
//   bool add(Value&, u64);                   // DW_OP_plus_uconst
//   bool one(DwarfOperation, Value&);        // arithmetic with one operand
//   bool two(DwarfOperation, Value& left, const Value& right);
//   bool truth(const Value&, bool& out);     // of a branch
//   bool other(DwarfOperation, ExpressionMachine&);  // operations of some domains only: reader() is at their operands
//
// Each returns false when it refuses; run() then ends, and the domain knows why.
#pragma once
#include <array>
#include <cstddef>

#include "base/bytes.h"
#include "base/leb128.h"
#include "base/types.h"
#include "symbol/expression/dwarf_operation.h"

namespace peregrine {

inline constexpr std::size_t kExpressionDepth = 64;

// The part of std::vector that the machine needs, without allocations. At most `Depth` values may be pushed.
template <class T, std::size_t Depth>
class FixedStack {
 public:
  void push_back(T value) { values_[size_++] = value; }
  void pop_back() { --size_; }
  T& back() { return values_[size_ - 1]; }
  T& operator[](std::size_t index) { return values_[index]; }
  std::size_t size() const { return size_; }

 private:
  std::array<T, Depth> values_{};
  std::size_t size_ = 0;
};

enum class ExpressionEnd : u8 {
  Finished,   // the result is the top of the stack
  Malformed,  // truncated, too long, an empty or full stack
  Refused,    // refused by the domain
};

template <class Domain>
class ExpressionMachine {
 public:
  using Value = typename Domain::Value;

  // `expression` and `domain` must outlive this.
  ExpressionMachine(Bytes expression, ByteOrder order, unsigned address_size, Domain& domain)
      : domain_(domain), expression_(expression), reader_(expression, order), address_size_(address_size) {}

  // Call before run() for initial values, and from Domain::other().
  bool push(Value value) {
    if (stack_.size() == kExpressionDepth) return malformed();
    stack_.push_back(std::move(value));
    return true;
  }

  ExpressionEnd run() {
    constexpr unsigned kMostSteps = 2000;
    for (unsigned steps = 0; reader_.left() != 0; ++steps) {
      if (steps == kMostSteps) return ExpressionEnd::Malformed;
      if (!step(static_cast<DwarfOperation>(reader_.get8())))
        return malformed_ ? ExpressionEnd::Malformed : ExpressionEnd::Refused;
      if (!reader_.ok()) return ExpressionEnd::Malformed;
    }
    return stack_.size() == 0 ? ExpressionEnd::Malformed : ExpressionEnd::Finished;
  }

  bool has(std::size_t count) const { return stack_.size() >= count; }
  Value& top() { return stack_.back(); }
  ByteReader& reader() { return reader_; }
  unsigned address_size() const { return address_size_; }

 private:
  using Operation = DwarfOperation;
  static bool within(Operation operation, Operation first, Operation last) {
    return operation >= first && operation <= last;
  }
  static u64 distance(Operation operation, Operation first) {
    return static_cast<u64>(operation) - static_cast<u64>(first);
  }

  bool malformed() {
    malformed_ = true;
    return false;
  }
  bool need(std::size_t count) { return has(count) || malformed(); }
  Value pop() {
    Value value = std::move(stack_.back());
    stack_.pop_back();
    return value;
  }
  bool push_constant(u64 value) { return push(domain_.constant(value)); }
  bool push_constant_signed(i64 value) { return push_constant(static_cast<u64>(value)); }
  bool push_register(u64 reg, i64 offset) {
    Value value{};
    return domain_.register_value(reg, offset, value) && push(std::move(value));
  }
  bool push_in_register(u64 reg) {
    Value value{};
    return domain_.in_register(reg, value) && push(std::move(value));
  }
  bool pick(u64 back) { return back < stack_.size() ? push(Value(stack_[stack_.size() - 1 - back])) : malformed(); }

  // Moves the top of the stack below the `count` - 1 values under it.
  bool turn(std::size_t count) {
    if (!need(count)) return false;
    for (std::size_t i = stack_.size() - 1; i > stack_.size() - count; --i) std::swap(stack_[i], stack_[i - 1]);
    return true;
  }

  bool jump(i64 distance) {
    if (!reader_.ok()) return malformed();
    const i64 target = static_cast<i64>(base_ + reader_.offset()) + distance;
    if (target < 0 || target > static_cast<i64>(expression_.size())) return malformed();
    base_ = static_cast<std::size_t>(target);
    reader_ = ByteReader(expression_.subspan(base_), reader_.order());
    return true;
  }

  bool branch() {
    const i64 distance = reader_.get<i16>();
    if (!need(1)) return false;
    bool taken = false;
    return domain_.truth(pop(), taken) && (!taken || jump(distance));
  }

  bool step(Operation operation) {
    if (within(operation, Operation::Literal0, Operation::Literal31))
      return push_constant(distance(operation, Operation::Literal0));
    if (within(operation, Operation::Register0, Operation::Register31))
      return push_in_register(distance(operation, Operation::Register0));
    if (within(operation, Operation::BaseRegister0, Operation::BaseRegister31))
      return push_register(distance(operation, Operation::BaseRegister0), get_sleb128(reader_));
    if (within(operation, Operation::Constant1u, Operation::ConstantSigned)) return step_constant(operation);
    if (within(operation, Operation::Duplicate, Operation::Rotate)) return step_stack(operation);
    if (within(operation, Operation::Absolute, Operation::NotEqual)) return step_arithmetic(operation);
    switch (operation) {
      case Operation::Address: {
        Value value{};
        const u64 address = address_size_ == 8 ? reader_.get64() : reader_.get32();
        return domain_.address(address, value) && push(std::move(value));
      }
      case Operation::Dereference:
        return need(1) && domain_.dereference(top(), address_size_);
      case Operation::DereferenceSize: {
        const unsigned size = reader_.get8();
        return need(1) && domain_.dereference(top(), size);
      }
      case Operation::Skip:
        return jump(reader_.get<i16>());
      case Operation::RegisterX:
        return push_in_register(get_uleb128(reader_));
      case Operation::BaseRegisterX: {
        const u64 reg = get_uleb128(reader_);
        return push_register(reg, get_sleb128(reader_));
      }
      case Operation::NoOperation:
        return true;
      default:
        return domain_.other(operation, *this);
    }
  }

  bool step_constant(Operation operation) {
    switch (operation) {
      case Operation::Constant1u:
        return push_constant(reader_.get8());
      case Operation::Constant1s:
        return push_constant_signed(reader_.get<i8>());
      case Operation::Constant2u:
        return push_constant(reader_.get16());
      case Operation::Constant2s:
        return push_constant_signed(reader_.get<i16>());
      case Operation::Constant4u:
        return push_constant(reader_.get32());
      case Operation::Constant4s:
        return push_constant_signed(reader_.get<i32>());
      case Operation::Constant8u:
      case Operation::Constant8s:
        return push_constant(reader_.get64());
      case Operation::ConstantUnsigned:
        return push_constant(get_uleb128(reader_));
      default:
        return push_constant_signed(get_sleb128(reader_));
    }
  }

  bool step_stack(Operation operation) {
    switch (operation) {
      case Operation::Duplicate:
        return pick(0);
      case Operation::Drop:
        if (!need(1)) return false;
        stack_.pop_back();
        return true;
      case Operation::Over:
        return pick(1);
      case Operation::Pick:
        return pick(reader_.get8());
      default:
        return turn(operation == Operation::Swap ? 2 : 3);
    }
  }

  bool step_arithmetic(Operation operation) {
    switch (operation) {
      case Operation::Branch:
        return branch();
      case Operation::PlusConstant: {
        const u64 addend = get_uleb128(reader_);
        return need(1) && domain_.add(top(), addend);
      }
      case Operation::Absolute:
      case Operation::Negate:
      case Operation::Not:
        return need(1) && domain_.one(operation, top());
      default: {
        if (!need(2)) return false;
        const Value right = pop();
        return domain_.two(operation, top(), right);
      }
    }
  }

  Domain& domain_;
  Bytes expression_;
  std::size_t base_ = 0;  // where reader_ began
  ByteReader reader_;
  unsigned address_size_;
  typename Domain::Stack stack_;
  bool malformed_ = false;
};

}  // namespace peregrine
