#include "probe/argument/dwarf_location.h"

#include "base/leb128.h"
#include "base/number/wrapping.h"

namespace peregrine {
namespace {

enum class Operation : u8 {
  Address = 0x03,
  Dereference = 0x06,
  Constant1u = 0x08,
  Constant1s = 0x09,
  Constant2u = 0x0a,
  Constant2s = 0x0b,
  Constant4u = 0x0c,
  Constant4s = 0x0d,
  Constant8u = 0x0e,
  Constant8s = 0x0f,
  ConstantUnsigned = 0x10,
  ConstantSigned = 0x11,
  Duplicate = 0x12,
  Minus = 0x1c,
  Plus = 0x22,
  PlusConstant = 0x23,
  Literal0 = 0x30,
  Literal31 = 0x4f,
  Register0 = 0x50,
  Register31 = 0x6f,
  BaseRegister0 = 0x70,
  BaseRegister31 = 0x8f,
  RegisterX = 0x90,
  FrameBase = 0x91,
  BaseRegisterX = 0x92,
  Piece = 0x93,
  NoOperation = 0x96,
  CallFrameAddress = 0x9c,
  BitPiece = 0x9d,
  ImplicitValue = 0x9e,
  StackValue = 0x9f,
  ImplicitPointer = 0xa0,
  AddressIndex = 0xa1,
  EntryValue = 0xa3,
  TypedConstant = 0xa4,
  FormTlsAddress = 0x9b,
  GnuPushTls = 0xe0,
  GnuImplicitPointer = 0xf2,
  GnuEntryValue = 0xf3,
  GnuAddressIndex = 0xfb,
};

// Register or nothing, then offsets: the last is added, each before it added and read as memory.
struct Value {
  std::string_view base;  // "%di"; "@" for an address; empty for a constant
  std::vector<i64> reads;
  i64 offset = 0;
  bool is_constant() const { return base.empty() && reads.empty(); }
};

std::unexpected<Error> unsupported(std::string_view what) { return fail(ErrorKind::Unsupported, "{}", what); }

class Follower {
 public:
  Follower(Bytes expression, const LocationContext& context, unsigned depth)
      : context_(context), reader_(expression, context.order), depth_(depth) {}

  Result<VariablePlace> place() {
    if (reader_.left() == 0) return unsupported("it is optimized out here");
    if (reader_.left() > kLongest) return unsupported("its location is longer than any compiler's");
    while (reader_.left() > 0) PEREGRINE_TRY(step());
    if (!reader_.ok() || stack_.empty()) return unsupported("its location makes no sense");
    const Value& value = stack_.back();
    VariablePlace place{.base = std::string(value.base), .dereferences = value.reads};
    if (value.base == "@") place.base = context_.memory_base;
    if (in_register_) return place;
    if (is_value_) {
      if (value.is_constant()) return constant_place(value.offset);
      if (value.offset != 0 || value.base == "@")
        return unsupported("it is a sum that is in no register and not in memory");
      return place;
    }
    if (value.is_constant()) return unsupported("its location makes no sense");
    place.dereferences.push_back(value.offset);
    if (value.base == "@" && !place.dereferences.empty())
      place.dereferences.front() = wrapping_sum(place.dereferences.front(), context_.memory_bias);
    return place;
  }

  // As an address to count from.
  Result<Value> value() {
    while (reader_.left() > 0) PEREGRINE_TRY(step());
    if (!reader_.ok() || stack_.empty()) return unsupported("the function's frame makes no sense");
    return stack_.back();
  }

 private:
  static constexpr std::size_t kLongest = 4096;
  Result<> step();
  Result<> step_constant(Operation operation);
  Result<> step_address(Operation operation);
  Result<> step_frame(i64 offset);
  Result<> step_entry_value();

  Result<> push_register(u64 number, i64 offset) {
    const std::string_view name = probe_register(context_.machine, number);
    if (name.empty())
      return fail(ErrorKind::Unsupported, "it is in {}, which probes cannot read",
                  unreadable_register(context_.machine, number));
    stack_.push_back({name, {}, offset});
    return {};
  }
  void push_constant(i64 value) { stack_.push_back({{}, {}, value}); }
  Result<> add(bool minus) {
    if (stack_.size() < 2) return unsupported("its location makes no sense");
    Value second = std::move(stack_.back());
    stack_.pop_back();
    Value& first = stack_.back();
    if (!second.is_constant() && (minus || !first.is_constant())) return unsupported("it is computed of two registers");
    if (!second.is_constant()) std::swap(first, second);
    first.offset = minus ? wrapping_difference(first.offset, second.offset) : wrapping_sum(first.offset, second.offset);
    return {};
  }

  const LocationContext& context_;
  ByteReader reader_;
  unsigned depth_;
  std::vector<Value> stack_;
  bool in_register_ = false, is_value_ = false;
};

Result<> Follower::step_constant(Operation operation) {
  switch (operation) {
    case Operation::Constant1u:
      push_constant(reader_.get8());
      return {};
    case Operation::Constant1s:
      push_constant(static_cast<i8>(reader_.get8()));
      return {};
    case Operation::Constant2u:
      push_constant(reader_.get16());
      return {};
    case Operation::Constant2s:
      push_constant(static_cast<i16>(reader_.get16()));
      return {};
    case Operation::Constant4u:
      push_constant(reader_.get32());
      return {};
    case Operation::Constant4s:
      push_constant(static_cast<i32>(reader_.get32()));
      return {};
    case Operation::Constant8u:
    case Operation::Constant8s:
      push_constant(static_cast<i64>(reader_.get64()));
      return {};
    case Operation::ConstantUnsigned:
      push_constant(static_cast<i64>(get_uleb128(reader_)));
      return {};
    default:
      push_constant(get_sleb128(reader_));
      return {};
  }
}

Result<> Follower::step_address(Operation operation) {
  std::optional<u64> address;
  if (operation == Operation::Address)
    address = context_.address_size == 8 ? reader_.get64() : reader_.get32();
  else if (context_.indexed_address)
    address = context_.indexed_address(get_uleb128(reader_));
  if (!address) return unsupported("its address is not in the file");
  stack_.push_back({"@", {}, static_cast<i64>(*address)});
  return {};
}

// Counted from the function's frame, wherever that is at the address of the probe.
Result<> Follower::step_frame(i64 offset) {
  if (!context_.frame_base || depth_ > 0) return unsupported("its function does not say where its frame is");
  auto base = Follower(*context_.frame_base, context_, depth_ + 1).value();
  if (!base) return std::unexpected(std::move(base.error()));
  base->offset = wrapping_sum(base->offset, offset);
  stack_.push_back(std::move(*base));
  return {};
}

// What the caller had given in a register: still there at the function's first instruction.
Result<> Follower::step_entry_value() {
  const u64 size = get_uleb128(reader_);
  const Bytes inner = reader_.take(size);
  if (!context_.at_entry || depth_ > 1) return unsupported("only its value at the function's entry is known here");
  Follower follower(inner, context_, depth_ + 1);
  auto value = follower.value();
  if (!value) return std::unexpected(std::move(value.error()));
  stack_.push_back(std::move(*value));
  return {};
}

Result<> Follower::step() {
  const auto operation = static_cast<Operation>(reader_.get8());
  if (operation >= Operation::Literal0 && operation <= Operation::Literal31) {
    push_constant(static_cast<i64>(operation) - static_cast<i64>(Operation::Literal0));
    return {};
  }
  if (operation >= Operation::Register0 && operation <= Operation::Register31) {
    in_register_ = true;
    return push_register(static_cast<u64>(operation) - static_cast<u64>(Operation::Register0), 0);
  }
  if (operation >= Operation::BaseRegister0 && operation <= Operation::BaseRegister31)
    return push_register(static_cast<u64>(operation) - static_cast<u64>(Operation::BaseRegister0),
                         get_sleb128(reader_));
  if (operation >= Operation::Constant1u && operation <= Operation::ConstantSigned) return step_constant(operation);
  switch (operation) {
    case Operation::Address:
    case Operation::AddressIndex:
    case Operation::GnuAddressIndex:
      return step_address(operation);
    case Operation::Dereference:
      if (stack_.empty()) return unsupported("its location makes no sense");
      stack_.back().reads.push_back(stack_.back().offset);
      stack_.back().offset = 0;
      return {};
    case Operation::Duplicate:
      if (stack_.empty()) return unsupported("its location makes no sense");
      stack_.push_back(Value(stack_.back()));
      return {};
    case Operation::Plus:
    case Operation::Minus:
      return add(operation == Operation::Minus);
    case Operation::PlusConstant:
      if (stack_.empty()) return unsupported("its location makes no sense");
      stack_.back().offset = wrapping_sum(stack_.back().offset, static_cast<i64>(get_uleb128(reader_)));
      return {};
    case Operation::RegisterX:
      in_register_ = true;
      return push_register(get_uleb128(reader_), 0);
    case Operation::BaseRegisterX: {
      const u64 number = get_uleb128(reader_);
      return push_register(number, get_sleb128(reader_));
    }
    case Operation::FrameBase:
      return step_frame(get_sleb128(reader_));
    case Operation::CallFrameAddress: {
      const CfiRules* rules = context_.frames == nullptr ? nullptr : context_.frames->find(context_.address);
      if (rules == nullptr || rules->cfa_register == CfiRules::kExpression)
        return unsupported("call frame information does not say where its frame is here");
      return push_register(rules->cfa_register, rules->cfa_value);
    }
    case Operation::NoOperation:
      return {};
    case Operation::StackValue:
      is_value_ = true;
      return {};
    case Operation::ImplicitValue: {
      const Bytes bytes = reader_.take(get_uleb128(reader_));
      if (bytes.size() > 8) return unsupported("its constant value is wider than 64 bits");
      u64 value = 0;
      for (std::size_t i = 0; i < bytes.size(); ++i) {
        const std::size_t at = context_.order == ByteOrder::Little ? bytes.size() - 1 - i : i;
        value = value << 8 | std::to_integer<u64>(bytes[at]);
      }
      is_value_ = true;
      push_constant(static_cast<i64>(value));
      return {};
    }
    case Operation::EntryValue:
    case Operation::GnuEntryValue:
      return step_entry_value();
    case Operation::Piece:
    case Operation::BitPiece:
      return unsupported("it lies in several pieces here");
    case Operation::ImplicitPointer:
    case Operation::GnuImplicitPointer:
      return unsupported("the pointer was optimized out; only what it leads to is known");
    case Operation::FormTlsAddress:
    case Operation::GnuPushTls:
      if (!context_.thread_base.empty() && !stack_.empty() && stack_.back().is_constant()) {
        stack_.back().base = context_.thread_base;
        return {};
      }
      return unsupported("it is thread-local, which no probe can reach");
    default:
      return fail(ErrorKind::Unsupported, "it is computed (DW_OP {:#x}), which no probe can do",
                  static_cast<unsigned>(operation));
  }
}

}  // namespace

VariablePlace constant_place(i64 value) { return {.base = fmt::format("\\{}", value), .dereferences = {}}; }

Result<VariablePlace> locate_variable(Bytes expression, const LocationContext& context) {
  return Follower(expression, context, 0).place();
}

}  // namespace peregrine
