// Naming: the texts and extents behind the numbers of a Hists. Implemented over a Machine by cmd, by a table in tests.
//
// Asked while rows are made, by one thread at a time. Views stay valid as long as the Naming.
#pragma once
#include <string>
#include <string_view>

#include "analysis/hist/key/sort_key.h"
#include "base/types.h"

namespace peregrine {

class Naming {
 public:
  virtual ~Naming() = default;

  // The dso's column text; dsos of one text are one.
  virtual std::string_view dso(u32 dso) = 0;

  // Bytes of its largest map; 0: not known.
  virtual u64 dso_size(u32 dso) {
    static_cast<void>(dso);
    return 0;
  }

  struct SymbolName {
    std::string_view name;  // demangled
    u64 start = 0, end = 0;
  };
  virtual SymbolName symbol(u32 dso, u32 symbol) = 0;

  // The text of a frame's `inlined` or `line`.
  virtual std::string_view source(u32 text) {
    static_cast<void>(text);
    return {};
  }

  // The text of a group's value for a key that is shown as text: comm, parent, trace, … For Pid: the comm of that tid.
  virtual std::string text(SortKey key, u64 value) = 0;

  // By what values of a dynamic key are ordered.
  virtual std::string_view order(SortKey key, u64 value) {
    static_cast<void>(key), static_cast<void>(value);
    return {};
  }
};

}  // namespace peregrine
