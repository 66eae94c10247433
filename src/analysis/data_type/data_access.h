// DataAccess: the type of the memory that an instruction accesses, or why it is unknown.
#pragma once
#include <cstddef>

#include "base/types.h"
#include "probe/type/type_source.h"

namespace peregrine {

enum class AccessKind : u8 { Typed, StackOperation, StackCanary, Unknown };

// Why a type is unknown.
enum class UnknownType : u8 {
  None,
  NoCode,      // no file contains the instruction
  NotDecoded,  // not an instruction, or an unsupported instruction set
  NoMemory,    // no memory access
  NoDebug,     // the file has no debug information
  NoFunction,  // the debug information does not cover that code
  Segment,     // thread-local or per-CPU memory
  Register,    // the register's value is unknown
  StackSlot,   // a stack slot without a variable
  Address,     // a fixed address without a variable
  NoSize,      // void, or an incomplete type
  Outside,     // out of the object's bounds
};
inline constexpr std::size_t kUnknownTypes = 12;

struct DataAccess {
  AccessKind kind = AccessKind::Unknown;
  UnknownType why = UnknownType::NoMemory;
  TypeRef type;    // size of the whole object
  u64 offset = 0;  // offset in the object
};

inline DataAccess unknown_access(UnknownType why) { return {.kind = AccessKind::Unknown, .why = why, .type = {}}; }

}  // namespace peregrine
