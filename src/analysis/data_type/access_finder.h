// AccessFinder: finds the object that a memory operand accesses, from the known register values.
#pragma once
#include <optional>

#include "analysis/data_type/data_access.h"
#include "analysis/data_type/fixed_variables.h"
#include "analysis/data_type/known_value.h"
#include "analysis/data_type/placed_variables.h"
#include "analysis/data_type/thread_variables.h"
#include "base/types.h"
#include "insn/data_flow.h"
#include "probe/type/dwarf_types.h"
#include "probe/type/type_source.h"

namespace peregrine {

class AccessFinder {
 public:
  // All arguments must outlive this. `thread` is called when thread-local memory is accessed.
  AccessFinder(const DwarfTypes& types, const PlacedVariables& variables, const FixedVariables& fixed,
               const ThreadVariableSource& thread)
      : types_(types), variables_(variables), fixed_(fixed), thread_(thread) {}

  // `address`: of the instruction.
  DataAccess find(const MemoryOperand& memory, const KnownValues& values, u64 address) const;
  // The operand's address as a value.
  KnownValue address_of(const MemoryOperand& memory, const KnownValues& values) const;
  // If both are addresses in the same variable, expresses them as addresses of its elements, so that either() can
  // compare them. Otherwise does nothing.
  void enter_variable(KnownValue& a, KnownValue& b, const KnownValues& values, u64 address) const;
  // The value loaded from an object; pointers are followed.
  KnownValue loaded(const DataAccess& access, u64 distance) const;
  // Whether the operand is the field of x86's thread memory that holds its own address.
  static bool is_thread_pointer(const MemoryOperand& memory) {
    return memory.segment == Segment::Thread && memory.is_absolute() && memory.offset == 0;
  }

 private:
  DataAccess object(TypeRef type, i64 offset, bool walked) const;
  // The variable at an address in the frame, at a fixed address or in thread-local memory; `begin` uses the same base
  // as the address.
  struct Holder {
    TypeRef type;
    i64 begin = 0;
  };
  std::optional<Holder> variable_holding(const KnownValue& place, const KnownValues& values, u64 address) const;
  DataAccess beside_register(const MemoryOperand& memory, u64 address) const;
  bool holds(TypeRef type, i64 offset) const;

  const DwarfTypes& types_;
  const PlacedVariables& variables_;
  const FixedVariables& fixed_;
  const ThreadVariableSource& thread_;
};

}  // namespace peregrine
