// StackHealth: how many recorded call chains cannot be right, or lack what people look for.
//
// A chain of frame pointers breaks off where code was built without them: the register holds other data, which is taken
// for an address. The outermost frame is then in no map. Interpreters run their programs' functions in one function of
// their own, which hides them unless the interpreter writes a map (/tmp/perf-PID.map). Counted from a frozen Hists.
#pragma once
#include <string>

#include "analysis/hist/entry/hists.h"
#include "machine/dso/dso.h"

namespace peregrine {

struct StackHealth {
  u64 samples = 0;                    // with a chain that reaches user space
  u64 broken = 0;                     // of these, chains that end outside of all maps
  u32 broken_dso = HistFrame::kNone;  // where most of them left the known; none: unknown
  u64 interpreted = 0;                // of these, chains through an interpreter that show no function of its program
  std::string_view interpreter;       // "Python": that of most
};

StackHealth stack_health_of(const Hists& hists, const DsoTable& dsos);

// One sentence each, with the remedy; empty when there is nothing worth a line.
std::string explain_broken_stacks(const StackHealth& health, const DsoTable& dsos);
std::string explain_interpreted_stacks(const StackHealth& health);

}  // namespace peregrine
