// ThreadVariables: finds a program's thread-local variable by its distance from the thread pointer.
//
// The offset of a program's TLS block is fixed (local exec); that of a library is unknown.
#pragma once
#include <functional>
#include <optional>
#include <vector>

#include "base/types.h"
#include "probe/type/type_source.h"
#include "symbol/dwarf/debug_entries.h"

namespace peregrine {

struct ThreadVariable {
  i64 begin = 0;  // from the thread pointer
  u64 size = 0;
  TypeRef type;
};

class ThreadVariables {
 public:
  // Reads all units with code; the types live as long as `debug`.
  explicit ThreadVariables(const DebugInformation& debug);
  std::optional<ThreadVariable> find(i64 distance) const;

 private:
  std::vector<ThreadVariable> all_;  // by begin
};

// Returns the program's variables; reads them on first use.
using ThreadVariableSource = std::function<const ThreadVariables&()>;

}  // namespace peregrine
