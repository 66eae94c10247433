// Naming: texts and extents for the ids in a Hists. Implemented over a Machine, and by a table in tests.
//
// Used while rows are built, by one thread at a time. Views are valid as long as the Naming.
#pragma once
#include <string>
#include <string_view>

#include "analysis/hist/key/sort_key.h"
#include "base/types.h"

namespace peregrine {

class Naming {
 public:
  virtual ~Naming() = default;

  // The text of the dso column; dsos with equal text are one.
  virtual std::string_view dso(u32 dso) = 0;

  // Size in bytes of its largest map; 0 if unknown.
  virtual u64 dso_size(u32 dso) {
    static_cast<void>(dso);
    return 0;
  }

  struct SymbolName {
    std::string_view name;  // demangled
    u64 start = 0, end = 0;
  };
  virtual SymbolName symbol(u32 dso, u32 symbol) = 0;

  // The text for a frame's `inlined` or `line`.
  virtual std::string_view source(u32 text) {
    static_cast<void>(text);
    return {};
  }

  // The text of a group value for a text key: comm, parent, trace, … For Pid: the comm of that tid.
  virtual std::string text(SortKey key, u64 value) = 0;

  // The sort order of values of a dynamic key.
  virtual std::string_view order(SortKey key, u64 value) {
    static_cast<void>(key), static_cast<void>(value);
    return {};
  }
};

}  // namespace peregrine
