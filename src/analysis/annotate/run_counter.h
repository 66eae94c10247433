// RunCounter: counts the code runs in branch stacks, for one worker of a replay.
//
// A span that starts in one function and ends in another is not a run: branches are missing in between.
#pragma once
#include <unordered_map>

#include "analysis/annotate/code_run.h"
#include "base/types.h"
#include "machine/process/moment.h"
#include "machine/resolver/resolver.h"
#include "pipeline/replay/replay.h"
#include "symbol/table/symbol_table.h"

namespace peregrine {

class RunCounter {
 public:
  void add(const ReplaySample& sample, Resolver& resolver);
  // The function and both offsets.
  struct Found {
    DsoId dso;
    SymbolIndex symbol;
    CodeRun run;
  };
  const std::unordered_map<u64, Found>& found() const { return found_; }

 private:
  std::unordered_map<u64, Found> found_;  // by first and last frame
};

}  // namespace peregrine
