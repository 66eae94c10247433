#include "unwind/expression.h"

#include <array>

#include "symbol/cfi/cfi_reader.h"

namespace peregrine {
namespace {

enum Operation : u8 {
  kAddress = 0x03,
  kDereference = 0x06,
  kConst1u = 0x08,
  kConst1s = 0x09,
  kConst2u = 0x0a,
  kConst2s = 0x0b,
  kConst4u = 0x0c,
  kConst4s = 0x0d,
  kConst8u = 0x0e,
  kConst8s = 0x0f,
  kConstUnsigned = 0x10,
  kConstSigned = 0x11,
  kDuplicate = 0x12,
  kDrop = 0x13,
  kOver = 0x14,
  kPick = 0x15,
  kSwap = 0x16,
  kRotate = 0x17,
  kAbsolute = 0x19,
  kAnd = 0x1a,
  kDivide = 0x1b,
  kMinus = 0x1c,
  kModulo = 0x1d,
  kMultiply = 0x1e,
  kNegate = 0x1f,
  kNot = 0x20,
  kOr = 0x21,
  kPlus = 0x22,
  kPlusConstant = 0x23,
  kShiftLeft = 0x24,
  kShiftRight = 0x25,
  kShiftRightSigned = 0x26,
  kXor = 0x27,
  kBranch = 0x28,
  kEqual = 0x29,
  kGreaterEqual = 0x2a,
  kGreater = 0x2b,
  kLessEqual = 0x2c,
  kLess = 0x2d,
  kNotEqual = 0x2e,
  kSkip = 0x2f,
  kLiteral0 = 0x30,
  kRegister0 = 0x50,
  kBase0 = 0x70,
  kBaseLast = 0x8f,
  kRegister = 0x90,
  kBase = 0x92,
  kDereferenceSize = 0x94,
  kNothing = 0x96,
};

class Machine {
 public:
  Machine(Bytes expression, const ExpressionContext& context)
      : context_(context), expression_(expression), reader_(at(0)) {}

  ExpressionResult run(std::optional<u64> initial) {
    constexpr unsigned kMaxSteps = 2000;
    if (initial) push(*initial);
    for (unsigned steps = 0; reader_.left() != 0 && fault_ == ExpressionFault::None; ++steps) {
      if (steps == kMaxSteps) return {0, ExpressionFault::Malformed};
      step(reader_.get8());
      if (!reader_.ok()) fault(ExpressionFault::Malformed);
    }
    const u64 value = pop();
    return {value, fault_};
  }

 private:
  CfiReader at(std::size_t offset) const {
    return {expression_.subspan(offset), context_.order, context_.stack.word_size()};
  }
  void fault(ExpressionFault what) {
    if (fault_ == ExpressionFault::None) fault_ = what;
  }
  void push(u64 value) {
    if (depth_ == stack_.size()) return fault(ExpressionFault::Malformed);
    stack_[depth_++] = context_.stack.word_size() == 8 ? value : value & 0xffffffffu;
  }
  u64 pop() {
    if (depth_ == 0) {
      fault(ExpressionFault::Malformed);
      return 0;
    }
    return stack_[--depth_];
  }
  i64 pop_signed() {
    const u64 value = pop();
    return context_.stack.word_size() == 8 ? static_cast<i64>(value) : static_cast<i32>(value);
  }
  void push_signed(i64 value) { push(static_cast<u64>(value)); }
  void pick(u64 back) {
    if (back >= depth_) return fault(ExpressionFault::Malformed);
    push(stack_[depth_ - 1 - back]);
  }
  void push_register(u64 reg, i64 offset) {
    if (!context_.registers.has(reg)) return fault(ExpressionFault::Memory);
    push(context_.registers.values[reg] + static_cast<u64>(offset));
  }

  void dereference(unsigned size) {
    const u64 address = pop();
    if (context_.stack.holds(address) && size <= context_.stack.word_size()) {
      const u64 word = context_.stack.at(address);
      const unsigned word_bits = context_.stack.word_size() * 8;
      if (size * 8 == word_bits) return push(word);
      const u64 mask = (u64{1} << size * 8) - 1;
      return push((context_.order == ByteOrder::Little ? word : word >> (word_bits - size * 8)) & mask);
    }
    if (context_.stack.is_cut_off(address)) return fault(ExpressionFault::CutOff);
    std::array<std::byte, 8> bytes{};
    if (size == 0 || size > 8) return fault(ExpressionFault::Malformed);
    if (!context_.lookup.read(address, std::span(bytes).first(size))) return fault(ExpressionFault::Memory);
    u64 value = 0;
    for (unsigned i = 0; i < size; ++i) {
      const unsigned place = context_.order == ByteOrder::Little ? size - 1 - i : i;
      value = value << 8 | static_cast<u64>(bytes[place]);
    }
    push(value);
  }

  void jump(i64 distance) {
    const i64 target = static_cast<i64>(reader_.offset() + base_) + distance;
    if (target < 0 || target > static_cast<i64>(expression_.size())) return fault(ExpressionFault::Malformed);
    base_ = static_cast<std::size_t>(target);
    reader_ = at(base_);
  }

  void step(u8 operation) {
    if (operation >= kLiteral0 && operation < kRegister0) return push(operation - kLiteral0);
    if (operation >= kRegister0 && operation < kBase0) return push_register(operation - kRegister0, 0);
    if (operation >= kBase0 && operation <= kBaseLast) {
      return push_register(operation - kBase0, reader_.signed_leb());
    }
    if (operation <= kConstSigned && operation >= kConst1u) return push_constant(operation);
    if (operation >= kAbsolute && operation <= kNotEqual && operation != kBranch) return calculate(operation);
    switch (operation) {
      case kAddress:
        return push(reader_.address() + context_.lookup.bias(context_.pc));
      case kDereference:
        return dereference(context_.stack.word_size());
      case kDereferenceSize:
        return dereference(reader_.get8());
      case kDuplicate:
        return pick(0);
      case kDrop:
        pop();
        return;
      case kOver:
        return pick(1);
      case kPick:
        return pick(reader_.get8());
      case kSwap:
      case kRotate:
        return turn(operation == kSwap ? 2 : 3);
      case kBranch: {
        const i64 distance = reader_.get<i16>();
        if (pop() != 0) jump(distance);
        return;
      }
      case kSkip:
        return jump(reader_.get<i16>());
      case kRegister:
        return push_register(reader_.unsigned_leb(), 0);
      case kBase: {
        const u64 reg = reader_.unsigned_leb();
        return push_register(reg, reader_.signed_leb());
      }
      case kNothing:
        return;
      default:
        return fault(ExpressionFault::Malformed);
    }
  }

  // The top of the stack goes below the `count` - 1 others.
  void turn(std::size_t count) {
    if (depth_ < count) return fault(ExpressionFault::Malformed);
    const u64 top = stack_[depth_ - 1];
    for (std::size_t i = depth_ - 1; i > depth_ - count; --i) stack_[i] = stack_[i - 1];
    stack_[depth_ - count] = top;
  }

  void push_constant(u8 operation) {
    switch (operation) {
      case kConst1u:
        return push(reader_.get8());
      case kConst1s:
        return push_signed(reader_.get<i8>());
      case kConst2u:
        return push(reader_.get16());
      case kConst2s:
        return push_signed(reader_.get<i16>());
      case kConst4u:
        return push(reader_.get32());
      case kConst4s:
        return push_signed(reader_.get<i32>());
      case kConst8u:
      case kConst8s:
        return push(reader_.get64());
      case kConstUnsigned:
        return push(reader_.unsigned_leb());
      default:
        return push_signed(reader_.signed_leb());
    }
  }

  void calculate(u8 operation) {
    if (operation == kPlusConstant) {
      const u64 addend = reader_.unsigned_leb();
      return push(pop() + addend);
    }
    if (operation == kNegate) return push(0 - pop());
    if (operation == kNot) return push(~pop());
    if (operation == kAbsolute) {
      const i64 value = pop_signed();
      return push(value < 0 ? 0 - static_cast<u64>(value) : static_cast<u64>(value));
    }
    if (operation >= kEqual) return compare(operation);
    const i64 signed_right = pop_signed();
    const u64 right = static_cast<u64>(signed_right);
    const i64 signed_left = pop_signed();
    const u64 left = static_cast<u64>(signed_left);
    const u64 word_mask = context_.stack.word_size() == 8 ? ~u64{0} : 0xffffffffu;
    switch (operation) {
      case kAnd:
        return push(left & right);
      case kOr:
        return push(left | right);
      case kXor:
        return push(left ^ right);
      case kPlus:
        return push(left + right);
      case kMinus:
        return push(left - right);
      case kMultiply:
        return push(left * right);
      case kDivide:
        if (right == 0) return fault(ExpressionFault::Malformed);
        return signed_right == -1 ? push(0 - left) : push_signed(signed_left / signed_right);
      case kModulo:
        if ((right & word_mask) == 0) return fault(ExpressionFault::Malformed);
        return push((left & word_mask) % (right & word_mask));
      case kShiftLeft:
        return push(right < 64 ? left << right : 0);
      case kShiftRight:
        return push(right < 64 ? (left & word_mask) >> right : 0);
      case kShiftRightSigned:
        return push_signed(signed_left >> (right < 64 ? right : 63));
      default:
        return fault(ExpressionFault::Malformed);
    }
  }

  void compare(u8 operation) {
    const i64 right = pop_signed();
    const i64 left = pop_signed();
    switch (operation) {
      case kEqual:
        return push(left == right ? 1 : 0);
      case kNotEqual:
        return push(left != right ? 1 : 0);
      case kGreaterEqual:
        return push(left >= right ? 1 : 0);
      case kGreater:
        return push(left > right ? 1 : 0);
      case kLessEqual:
        return push(left <= right ? 1 : 0);
      default:
        return push(left < right ? 1 : 0);
    }
  }

  const ExpressionContext& context_;
  Bytes expression_;
  std::size_t base_ = 0;  // where reader_ began
  CfiReader reader_;
  std::array<u64, 64> stack_{};
  std::size_t depth_ = 0;
  ExpressionFault fault_ = ExpressionFault::None;
};

}  // namespace

ExpressionResult evaluate_expression(Bytes expression, std::optional<u64> initial, const ExpressionContext& context) {
  return Machine(expression, context).run(initial);
}

}  // namespace peregrine
