#include "symbol/expression/variable_location.h"

#include <cstddef>
#include <utility>

#include "base/leb128.h"
#include "base/number/wrapping.h"
#include "base/types.h"
#include "symbol/expression/dwarf_operation.h"
#include "symbol/expression/expression_machine.h"

namespace peregrine {
namespace {

constexpr std::size_t kLongestLocation = 4096;

// A base and offsets: each offset in `reads` is added and the result read as memory; `offset` is added at the end.
struct SymbolicValue {
  VariableLocation::Base base = VariableLocation::Base::Nothing;
  u64 reg = 0;
  std::vector<i64> reads;
  i64 offset = 0;
  bool is_constant() const { return base == VariableLocation::Base::Nothing && reads.empty(); }
};

class SymbolicDomain {
 public:
  using Value = SymbolicValue;
  using Stack = std::vector<Value>;
  using Machine = ExpressionMachine<SymbolicDomain>;

  // `depth`: nesting level of expressions.
  SymbolicDomain(const LocationContext& context, unsigned depth) : context_(context), depth_(depth) {}

  Value constant(u64 value) const { return {.reads = {}, .offset = static_cast<i64>(value)}; }
  bool address(u64 address, Value& out) const {
    out = {.base = VariableLocation::Base::Address, .reads = {}, .offset = static_cast<i64>(address)};
    return true;
  }
  bool register_value(u64 reg, i64 offset, Value& out) {
    if (reg >= context_.registers) return refuse(LocationFault::OtherRegister, reg);
    out = {.base = VariableLocation::Base::Register, .reg = reg, .reads = {}, .offset = offset};
    return true;
  }
  bool in_register(u64 reg, Value& out) {
    in_register_ = true;
    return register_value(reg, 0, out);
  }
  bool dereference(Value& value, unsigned size) {
    if (size != context_.address_size) return computed(DwarfOperation::DereferenceSize);
    value.reads.push_back(std::exchange(value.offset, 0));
    return true;
  }
  bool add(Value& value, u64 addend) const {
    value.offset = wrapping_sum(value.offset, static_cast<i64>(addend));
    return true;
  }
  bool one(DwarfOperation operation, Value& value) {
    const auto result = calculate(operation, static_cast<u64>(value.offset), kWord);
    if (!value.is_constant() || !result) return computed(operation);
    value = constant(*result);
    return true;
  }
  bool two(DwarfOperation operation, Value& left, const Value& right) {
    if (operation == DwarfOperation::Plus || operation == DwarfOperation::Minus)
      return add_value(left, right, operation == DwarfOperation::Minus);
    if (!left.is_constant() || !right.is_constant()) return computed(operation);
    const auto result = calculate(operation, static_cast<u64>(left.offset), static_cast<u64>(right.offset), kWord);
    if (!result) return refuse(LocationFault::Malformed);
    left = constant(*result);
    return true;
  }
  bool truth(const Value& value, bool& out) {
    if (!value.is_constant()) return computed(DwarfOperation::Branch);
    out = value.offset != 0;
    return true;
  }
  bool other(DwarfOperation operation, Machine& machine);

  bool is_in_register() const { return in_register_; }
  bool is_value() const { return is_value_; }
  LocationError error() const { return error_; }

 private:
  static constexpr unsigned kWord = 8;

  bool refuse(LocationFault fault, u64 detail = 0) {
    error_ = {fault, detail};
    return false;
  }
  bool computed(DwarfOperation operation) { return refuse(LocationFault::Computed, static_cast<u64>(operation)); }

  bool add_value(Value& left, const Value& right, bool minus) {
    if (!right.is_constant() && (minus || !left.is_constant())) return refuse(LocationFault::SumOfRegisters);
    const i64 sum = minus ? wrapping_difference(left.offset, right.offset) : wrapping_sum(left.offset, right.offset);
    if (!right.is_constant()) left = right;
    left.offset = sum;
    return true;
  }

  bool push_indexed_address(Machine& machine) {
    if (!context_.indexed_address) return refuse(LocationFault::NoAddress);
    const auto address = context_.indexed_address(get_uleb128(machine.reader()));
    if (!address) return refuse(LocationFault::NoAddress);
    return machine.push({.base = VariableLocation::Base::Address, .reads = {}, .offset = static_cast<i64>(*address)});
  }

  // Evaluates a nested expression to a value that this one can add to.
  std::optional<Value> nested(Bytes expression, LocationFault malformed) {
    SymbolicDomain domain(context_, depth_ + 1);
    Machine machine(expression, context_.order, context_.address_size, domain);
    const ExpressionEnd end = machine.run();
    if (end == ExpressionEnd::Finished) return std::move(machine.top());
    error_ = end == ExpressionEnd::Refused ? domain.error() : LocationError{malformed};
    return std::nullopt;
  }

  bool push_in_frame(Machine& machine) {
    const i64 offset = get_sleb128(machine.reader());
    // A frame base cannot be relative to itself.
    if (!context_.frame_base || depth_ > 0) return refuse(LocationFault::NoFrameBase);
    auto frame = nested(*context_.frame_base, LocationFault::BadFrameBase);
    if (!frame) return false;
    frame->offset = wrapping_sum(frame->offset, offset);
    return machine.push(std::move(*frame));
  }

  // A register still has its value from the caller only at the function's first instruction.
  bool push_entry_value(Machine& machine) {
    const Bytes inner = machine.reader().take(get_uleb128(machine.reader()));
    if (!context_.at_entry || depth_ > 1) return refuse(LocationFault::AtEntryOnly);
    auto value = nested(inner, LocationFault::Malformed);
    return value && machine.push(std::move(*value));
  }

  bool push_implicit_value(Machine& machine) {
    const Bytes bytes = machine.reader().take(get_uleb128(machine.reader()));
    if (bytes.size() > sizeof(u64)) return refuse(LocationFault::WideConstant);
    u64 value = 0;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      const std::size_t at = context_.order == ByteOrder::Little ? bytes.size() - 1 - i : i;
      value = value << 8 | std::to_integer<u64>(bytes[at]);
    }
    is_value_ = true;
    return machine.push(constant(value));
  }

  bool enter_thread(Machine& machine) {
    if (!machine.has(1) || !machine.top().is_constant()) return refuse(LocationFault::ThreadLocal);
    machine.top().base = VariableLocation::Base::Thread;
    return true;
  }

  const LocationContext& context_;
  unsigned depth_;
  bool in_register_ = false, is_value_ = false;
  LocationError error_;
};

bool SymbolicDomain::other(DwarfOperation operation, Machine& machine) {
  switch (operation) {
    case DwarfOperation::AddressIndex:
    case DwarfOperation::GnuAddressIndex:
      return push_indexed_address(machine);
    case DwarfOperation::FrameBase:
      return push_in_frame(machine);
    case DwarfOperation::CallFrameAddress:
      return machine.push({.base = VariableLocation::Base::Frame, .reads = {}});
    case DwarfOperation::StackValue:
      is_value_ = true;
      return true;
    case DwarfOperation::ImplicitValue:
      return push_implicit_value(machine);
    case DwarfOperation::EntryValue:
    case DwarfOperation::GnuEntryValue:
      return push_entry_value(machine);
    case DwarfOperation::FormTlsAddress:
    case DwarfOperation::GnuPushTls:
      return enter_thread(machine);
    case DwarfOperation::Piece:
    case DwarfOperation::BitPiece:
      return refuse(LocationFault::InPieces);
    case DwarfOperation::ImplicitPointer:
    case DwarfOperation::GnuImplicitPointer:
      return refuse(LocationFault::OptimizedPointer);
    default:
      return computed(operation);
  }
}

// A computed value that is exactly the contents of a register, or of memory relative to a register or the frame,
// becomes a location. Memory at a fixed address does not, because it belongs to another variable.
void settle_value(VariableLocation& location) {
  location.kind = VariableLocation::Kind::Value;
  if (location.offset != 0) return;
  if (location.reads.empty()) {
    if (location.base == VariableLocation::Base::Register) location.kind = VariableLocation::Kind::Register;
  } else if (location.base == VariableLocation::Base::Register || location.base == VariableLocation::Base::Frame) {
    location.kind = VariableLocation::Kind::Memory;
    location.offset = location.reads.back();
    location.reads.pop_back();
  }
}

}  // namespace

std::expected<VariableLocation, LocationError> locate_variable(Bytes expression, const LocationContext& context) {
  if (expression.empty()) return std::unexpected(LocationError{LocationFault::Absent});
  if (expression.size() > kLongestLocation) return std::unexpected(LocationError{LocationFault::TooLong});
  SymbolicDomain domain(context, 0);
  SymbolicDomain::Machine machine(expression, context.order, context.address_size, domain);
  const ExpressionEnd end = machine.run();
  if (end == ExpressionEnd::Refused) return std::unexpected(domain.error());
  if (end == ExpressionEnd::Malformed) return std::unexpected(LocationError{});
  SymbolicValue& value = machine.top();
  VariableLocation location{.base = value.base, .reg = value.reg, .reads = std::move(value.reads)};
  location.offset = value.offset;
  if (domain.is_in_register()) {
    if (location.base != VariableLocation::Base::Register || !location.reads.empty())
      return std::unexpected(LocationError{});
    location.kind = VariableLocation::Kind::Register;
  } else if (domain.is_value()) {
    settle_value(location);
  } else if (location.base == VariableLocation::Base::Nothing) {
    return std::unexpected(LocationError{});  // memory at a constant address; no loader places a program's data there
  }
  return location;
}

std::optional<u64> evaluate_member_offset(Bytes expression, const LocationContext& context) {
  SymbolicDomain domain(context, 0);
  SymbolicDomain::Machine machine(expression, context.order, context.address_size, domain);
  machine.push(domain.constant(0));
  if (machine.run() != ExpressionEnd::Finished || !machine.top().is_constant()) return std::nullopt;
  return static_cast<u64>(machine.top().offset);
}

}  // namespace peregrine
