// DataAccess: what an instruction touches in memory, as types, or why that is not known.
#pragma once
#include "probe/type/type_source.h"

namespace peregrine {

enum class AccessKind : u8 { Typed, StackOperation, StackCanary, Unknown };

// Why a type is not known.
enum class UnknownType : u8 {
  None,
  NoCode,      // no file has the instruction
  NotDecoded,  // nobody here reads it, or no instruction begins there
  NoMemory,    // it touches no memory
  NoDebug,     // the file has no debug information
  NoFunction,  // which does not speak of that code
  Segment,     // thread-local or per-CPU memory
  Register,    // nobody knows what the register leads to
  StackSlot,   // of the stack, where no variable lies
  Address,     // fixed, where no variable lies
  NoSize,      // void, or a type that is only declared
  Outside,     // before or behind the object
};
inline constexpr std::size_t kUnknownTypes = 12;

struct DataAccess {
  AccessKind kind = AccessKind::Unknown;
  UnknownType why = UnknownType::NoMemory;
  TypeRef type;    // of the whole object
  u64 offset = 0;  // in it
};

inline DataAccess unknown_access(UnknownType why) { return {.kind = AccessKind::Unknown, .why = why, .type = {}}; }

}  // namespace peregrine
