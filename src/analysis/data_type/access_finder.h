// AccessFinder: from an operand in memory, and what is known of the registers in it, to the object that is touched.
#pragma once
#include <optional>

#include "analysis/data_type/data_access.h"
#include "analysis/data_type/fixed_variables.h"
#include "analysis/data_type/placed_variables.h"
#include "analysis/data_type/thread_variables.h"
#include "insn/data_flow.h"

namespace peregrine {

class AccessFinder {
 public:
  // All outlive it. `thread`: asked where a thread's own memory is touched.
  AccessFinder(const DwarfTypes& types, const PlacedVariables& variables, const FixedVariables& fixed,
               const ThreadVariableSource& thread)
      : types_(types), variables_(variables), fixed_(fixed), thread_(thread) {}

  // `address`: of the instruction.
  DataAccess find(const MemoryOperand& memory, const KnownValues& values, u64 address) const;
  // What the operand's address is.
  KnownValue address_of(const MemoryOperand& memory, const KnownValues& values) const;
  // Two addresses in one variable: as addresses of its elements, which either() compares. Anything else stays.
  void enter_variable(KnownValue& a, KnownValue& b, const KnownValues& values, u64 address) const;
  // What is loaded from an object: a pointer leads on.
  KnownValue loaded(const DataAccess& access, u64 distance) const;
  // Whether it is the word of x86's thread memory that says where that lies.
  static bool is_thread_pointer(const MemoryOperand& memory) {
    return memory.segment == Segment::Thread && memory.is_absolute() && memory.offset == 0;
  }

 private:
  DataAccess object(TypeRef type, i64 offset, bool walked) const;
  // The variable that holds an address of the frame, a fixed one, or one of the thread's; `begin` is counted as those
  // are.
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
