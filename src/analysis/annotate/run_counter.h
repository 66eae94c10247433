// RunCounter: the code runs that branch stacks tell of, for one worker of a replay.
//
// What begins in one function and ends in another is no run: branches are missing between.
#pragma once
#include <unordered_map>

#include "analysis/annotate/code_run.h"
#include "machine/resolver/resolver.h"
#include "pipeline/replay/replay.h"

namespace peregrine {

class RunCounter {
 public:
  void add(const ReplaySample& sample, Resolver& resolver);
  // With the function and the offsets of each.
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
