#include "unwind/expression.h"

#include <array>
#include <cstddef>
#include <span>

#include "base/bytes.h"
#include "base/types.h"
#include "symbol/expression/dwarf_operation.h"
#include "symbol/expression/expression_machine.h"

namespace peregrine {
namespace {

// Values are machine words of the program. CFI has neither locations nor frame bases, so all other operations are
// malformed.
class FrameDomain {
 public:
  using Value = u64;
  using Stack = FixedStack<u64, kExpressionDepth>;

  explicit FrameDomain(const ExpressionContext& context)
      : context_(context), word_mask_(context.stack.word_size() == 8 ? ~u64{0} : 0xffffffffu) {}

  u64 constant(u64 value) const { return value & word_mask_; }
  bool address(u64 address, u64& out) const {
    out = constant(address + context_.lookup.bias(context_.pc));
    return true;
  }
  bool register_value(u64 reg, i64 offset, u64& out) {
    if (!context_.registers.has(reg)) return refuse(ExpressionFault::Memory);
    out = constant(context_.registers.values[reg] + static_cast<u64>(offset));
    return true;
  }
  bool in_register(u64 reg, u64& out) { return register_value(reg, 0, out); }
  bool add(u64& value, u64 addend) const {
    value = constant(value + addend);
    return true;
  }
  bool one(DwarfOperation operation, u64& value) {
    return set(value, calculate(operation, value, context_.stack.word_size()));
  }
  bool two(DwarfOperation operation, u64& left, u64 right) {
    return set(left, calculate(operation, left, right, context_.stack.word_size()));
  }
  bool truth(u64 value, bool& out) const {
    out = value != 0;
    return true;
  }
  bool other(DwarfOperation, ExpressionMachine<FrameDomain>&) { return refuse(ExpressionFault::Malformed); }
  bool dereference(u64& value, unsigned size);

  ExpressionFault fault() const { return fault_; }

 private:
  bool refuse(ExpressionFault fault) {
    fault_ = fault;
    return false;
  }
  bool set(u64& value, std::optional<u64> result) {
    if (!result) return refuse(ExpressionFault::Malformed);
    value = constant(*result);
    return true;
  }

  const ExpressionContext& context_;
  u64 word_mask_;
  ExpressionFault fault_ = ExpressionFault::None;
};

bool FrameDomain::dereference(u64& value, unsigned size) {
  const u64 address = value;
  std::array<std::byte, 8> bytes{};
  if (size == 0 || size > bytes.size()) return refuse(ExpressionFault::Malformed);
  if (context_.stack.holds(address) && size <= context_.stack.word_size()) {
    value = context_.stack.at(address);
    const unsigned word_bits = context_.stack.word_size() * 8;
    if (size * 8 == word_bits) return true;
    const u64 mask = (u64{1} << size * 8) - 1;
    if (context_.order == ByteOrder::Big) value >>= word_bits - size * 8;
    value &= mask;
    return true;
  }
  if (context_.stack.is_cut_off(address)) return refuse(ExpressionFault::CutOff);
  if (!context_.lookup.read(address, std::span(bytes).first(size))) return refuse(ExpressionFault::Memory);
  u64 number = 0;
  for (unsigned i = 0; i < size; ++i) {
    const unsigned place = context_.order == ByteOrder::Little ? size - 1 - i : i;
    number = number << 8 | static_cast<u64>(bytes[place]);
  }
  value = constant(number);
  return true;
}

}  // namespace

ExpressionResult evaluate_expression(Bytes expression, std::optional<u64> initial, const ExpressionContext& context) {
  FrameDomain domain(context);
  ExpressionMachine<FrameDomain> machine(expression, context.order, context.stack.word_size(), domain);
  if (initial) machine.push(domain.constant(*initial));
  switch (machine.run()) {
    case ExpressionEnd::Finished:
      return {machine.top(), ExpressionFault::None};
    case ExpressionEnd::Refused:
      return {0, domain.fault()};
    case ExpressionEnd::Malformed:
      break;
  }
  return {0, ExpressionFault::Malformed};
}

}  // namespace peregrine
