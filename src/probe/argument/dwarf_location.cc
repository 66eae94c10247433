#include "probe/argument/dwarf_location.h"

#include <fmt/format.h>

#include <expected>
#include <string>
#include <string_view>
#include <utility>

#include "base/bytes.h"
#include "base/number/wrapping.h"
#include "base/types.h"

namespace peregrine {
namespace {

std::string_view fault_text(LocationFault fault) {
  switch (fault) {
    case LocationFault::Absent:
      return "it is optimized out here";
    case LocationFault::TooLong:
      return "its location expression is too long";
    case LocationFault::NoFrameBase:
      return "its function has no frame base";
    case LocationFault::BadFrameBase:
      return "the function's frame base is invalid";
    case LocationFault::NoAddress:
      return "its address is not in the file";
    case LocationFault::AtEntryOnly:
      return "only its value at the function's entry is known here";
    case LocationFault::WideConstant:
      return "its constant value is wider than 64 bits";
    case LocationFault::InPieces:
      return "it is split into several pieces here";
    case LocationFault::OptimizedPointer:
      return "the pointer was optimized out; only its target is known";
    case LocationFault::ThreadLocal:
      return "it is thread-local, which probes cannot read";
    case LocationFault::SumOfRegisters:
      return "it is computed from two registers";
    case LocationFault::Malformed:
    case LocationFault::OtherRegister:
    case LocationFault::Computed:
      break;
  }
  return "its location is invalid";
}

std::unexpected<Error> unfetchable(std::string_view why) { return fail(ErrorKind::Unsupported, "{}", why); }

std::unexpected<Error> unfetchable_register(u16 machine, u64 number) {
  return fail(ErrorKind::Unsupported, "it is in {}, which probes cannot read", unreadable_register(machine, number));
}

std::unexpected<Error> unfetchable(const LocationError& error, u16 machine) {
  if (error.fault == LocationFault::OtherRegister) return unfetchable_register(machine, error.detail);
  if (error.fault == LocationFault::Computed)
    return fail(ErrorKind::Unsupported, "it is computed (DW_OP {:#x}), which probes cannot do", error.detail);
  return unfetchable(fault_text(error.fault));
}

// The kernel knows no frames, so a frame-relative location becomes an offset from the register that holds the CFA here.
Result<> count_from_register(VariableLocation& location, const ProbedCode& code) {
  const CfiRules* rules = code.frames == nullptr ? nullptr : code.frames->find(code.address);
  if (rules == nullptr || rules->cfa_register == CfiRules::kExpression)
    return unfetchable("call frame information does not locate its frame here");
  if (probe_register(code.machine, rules->cfa_register).empty())
    return unfetchable_register(code.machine, rules->cfa_register);
  location.base = VariableLocation::Base::Register;
  location.reg = rules->cfa_register;
  i64& first = location.reads.empty() ? location.offset : location.reads.front();
  first = wrapping_sum(first, rules->cfa_value);
  return {};
}

Result<VariablePlace> place_of(VariableLocation location, const ProbedCode& code) {
  if (location.base == VariableLocation::Base::Thread) return unfetchable(fault_text(LocationFault::ThreadLocal));
  if (location.base == VariableLocation::Base::Frame) PEREGRINE_TRY(count_from_register(location, code));
  if (location.kind == VariableLocation::Kind::Value) {
    if (location.is_constant()) return constant_place(location.offset);
    if (location.offset != 0 || location.base == VariableLocation::Base::Address)
      return unfetchable("it is a computed value, neither in a register nor in memory");
  }
  if (location.base == VariableLocation::Base::Nothing) return unfetchable(fault_text(LocationFault::Malformed));
  const std::string_view base =
      location.base == VariableLocation::Base::Address ? code.memory_base : probe_register(code.machine, location.reg);
  VariablePlace place{.base = std::string(base), .dereferences = std::move(location.reads)};
  if (location.kind == VariableLocation::Kind::Memory) place.dereferences.push_back(location.offset);
  if (location.base == VariableLocation::Base::Address)
    place.dereferences.front() = wrapping_sum(place.dereferences.front(), code.memory_bias);
  return place;
}

}  // namespace

VariablePlace constant_place(i64 value) { return {.base = fmt::format("\\{}", value), .dereferences = {}}; }

Result<VariablePlace> place_variable(Bytes expression, LocationContext context, const ProbedCode& code) {
  context.registers = probe_register_count(code.machine);
  auto location = locate_variable(expression, context);
  if (!location) return unfetchable(location.error(), code.machine);
  return place_of(std::move(*location), code);
}

}  // namespace peregrine
