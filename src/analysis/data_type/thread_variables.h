// ThreadVariables: which thread-local variable of a program lies at some distance from a thread's own pointer.
//
// Where a program's block of them lies is known before it runs (local exec); that of a library is not.
#pragma once
#include <functional>
#include <optional>
#include <vector>

#include "probe/type/dwarf_types.h"

namespace peregrine {

struct ThreadVariable {
  i64 begin = 0;  // from the thread pointer
  u64 size = 0;
  TypeRef type;
};

class ThreadVariables {
 public:
  // Reads all units with code; types live as long as `debug`.
  explicit ThreadVariables(const DebugInformation& debug);
  std::optional<ThreadVariable> find(i64 distance) const;

 private:
  std::vector<ThreadVariable> all_;  // by begin
};

// Gives those of a program, read at the first question.
using ThreadVariableSource = std::function<const ThreadVariables&()>;

}  // namespace peregrine
