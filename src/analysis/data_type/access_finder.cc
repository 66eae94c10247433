#include "analysis/data_type/access_finder.h"

#include <algorithm>
#include <ranges>

#include "analysis/data_type/known_value.h"
#include "analysis/data_type/member_place.h"
#include "base/number/wrapping.h"
#include "base/types.h"
#include "probe/type/type_source.h"

namespace peregrine {
namespace {

// Offset of the stack canary, in the C library's thread memory and in the kernel's per-CPU memory on x86-64.
constexpr i64 kCanaryOffset = 0x28;

// No program is mapped below this address, so smaller numbers are offsets.
constexpr i64 kLowestAddress = 0x10000;

KnownValue value_in(const KnownValues& values, u8 reg) { return reg < values.size() ? values[reg] : KnownValue(); }

}  // namespace

bool AccessFinder::holds(TypeRef type, i64 offset) const {
  return offset >= 0 && static_cast<u64>(offset) < std::max<u64>(object_size(types_, type), 1);
}

KnownValue AccessFinder::address_of(const MemoryOperand& memory, const KnownValues& values) const {
  // A per-CPU access adds the segment base to the variable's own address, so the offset alone names the variable.
  const bool of_thread = memory.segment == Segment::Thread;
  KnownValue fixed{.kind = of_thread ? KnownValue::Kind::Thread : KnownValue::Kind::Constant,
                   .walked = !memory.is_absolute(),
                   .offset = memory.offset};
  if (memory.base == kNoRegister) return fixed;
  KnownValue base = value_in(values, memory.base);
  bool indexed = memory.index != kNoRegister;
  if (base.kind == KnownValue::Kind::Unknown && indexed && memory.scale == 1) base = value_in(values, memory.index);
  if (base.kind == KnownValue::Kind::Unknown) {
    // The register may be the index into a table at a fixed address.
    if (of_thread) return thread_().find(memory.offset) ? fixed : KnownValue();
    const bool far = memory.offset >= kLowestAddress || memory.offset <= -kLowestAddress;
    return far && fixed_.find(static_cast<u64>(memory.offset)) ? fixed : base;
  }
  if (of_thread) {
    if (base.kind != KnownValue::Kind::Constant) return {};
    base.kind = KnownValue::Kind::Thread;
  }
  const i64 distance = memory.stepped_after ? 0 : memory.offset;
  base = moved(types_, base, distance);
  if (const KnownValue index = value_in(values, memory.index);
      base.kind == KnownValue::Kind::Thread && index.kind == KnownValue::Kind::Constant)
    return moved(types_, base, index.offset);
  base.walked = base.walked || indexed;
  return base;
}

DataAccess AccessFinder::object(TypeRef type, i64 offset, bool walked) const {
  enter_array(types_, type, offset);
  const TypeShape shape = types_.shape(type);
  const u64 size = object_size(types_, type);
  if (size == 0) return unknown_access(UnknownType::NoSize);
  // An offset outside a scalar is more likely another element of an array than container_of() arithmetic on a
  // member.
  const bool has_members = shape.kind == TypeKind::Structure || shape.kind == TypeKind::Union;
  if (walked || !has_members) offset = wrapped(offset, size);
  if (offset < 0 || static_cast<u64>(offset) >= size) return unknown_access(UnknownType::Outside);
  return {.kind = AccessKind::Typed, .why = UnknownType::None, .type = type, .offset = static_cast<u64>(offset)};
}

std::optional<AccessFinder::Holder> AccessFinder::variable_holding(const KnownValue& place, const KnownValues& values,
                                                                   u64 address) const {
  if (place.kind == KnownValue::Kind::Constant) {
    const auto fixed = fixed_.find(static_cast<u64>(place.offset));
    return fixed ? std::optional(Holder{fixed->type, static_cast<i64>(fixed->begin)}) : std::nullopt;
  }
  if (place.kind == KnownValue::Kind::Thread) {
    const auto own = thread_().find(place.offset);
    return own ? std::optional(Holder{own->type, own->begin}) : std::nullopt;
  }
  if (place.kind != KnownValue::Kind::Frame) return std::nullopt;
  for (const u32 index : variables_.at(address) | std::views::reverse) {
    const PlacedVariable& variable = variables_[index];
    i64 begin = variable.offset;
    if (variable.where == PlacedVariable::Where::Register) continue;
    if (variable.where == PlacedVariable::Where::Memory) {
      if (values[variable.reg].kind != KnownValue::Kind::Frame) continue;
      begin = wrapping_sum(begin, values[variable.reg].offset);
    }
    if (holds(variable.type, wrapping_difference(place.offset, begin))) return Holder{variable.type, begin};
  }
  return std::nullopt;
}

void AccessFinder::enter_variable(KnownValue& a, KnownValue& b, const KnownValues& values, u64 address) const {
  if (a == b) return;
  auto holder = variable_holding(a, values, address);
  const KnownValue::Kind kind = holder ? a.kind : b.kind;
  if (!holder) holder = variable_holding(b, values, address);
  if (!holder) return;
  for (KnownValue* value : {&a, &b}) {
    if (value->kind != kind) continue;
    *value = {.kind = KnownValue::Kind::Object,
              .walked = value->walked,
              .offset = wrapping_difference(value->offset, holder->begin),
              .type = holder->type};
    enter_array(types_, value->type, value->offset);
  }
}

// The variable that DWARF locates at an offset from the base register, whatever its value.
DataAccess AccessFinder::beside_register(const MemoryOperand& memory, u64 address) const {
  for (const u32 index : variables_.at(address) | std::views::reverse) {
    const PlacedVariable& variable = variables_[index];
    if (variable.where != PlacedVariable::Where::Memory || variable.reg != memory.base) continue;
    if (holds(variable.type, wrapping_difference(memory.offset, variable.offset)))
      return object(variable.type, wrapping_difference(memory.offset, variable.offset), memory.index != kNoRegister);
  }
  return unknown_access(UnknownType::Register);
}

DataAccess AccessFinder::find(const MemoryOperand& memory, const KnownValues& values, u64 address) const {
  const bool segment = memory.segment != Segment::None;
  if (segment && memory.is_absolute() && memory.offset == kCanaryOffset)
    return {.kind = AccessKind::StackCanary, .why = UnknownType::None, .type = {}};
  const KnownValue place = address_of(memory, values);
  switch (place.kind) {
    case KnownValue::Kind::Object:
      return object(place.type, place.offset, place.walked);
    case KnownValue::Kind::Frame:
    case KnownValue::Kind::Constant:
    case KnownValue::Kind::Thread: {
      const auto holder = variable_holding(place, values, address);
      if (holder) return object(holder->type, wrapping_difference(place.offset, holder->begin), place.walked);
      if (segment || place.kind == KnownValue::Kind::Thread) return unknown_access(UnknownType::Segment);
      return unknown_access(place.kind == KnownValue::Kind::Frame ? UnknownType::StackSlot : UnknownType::Address);
    }
    default:
      if (segment) return unknown_access(UnknownType::Segment);
      return beside_register(memory, address);
  }
}

KnownValue AccessFinder::loaded(const DataAccess& access, u64 distance) const {
  if (access.kind != AccessKind::Typed) return {};
  const MemberPlace member = member_at(types_, access.type, access.offset + distance);
  return member.type && member.offset == 0 ? value_of_type(types_, member.type) : KnownValue();
}

}  // namespace peregrine
