// StackHealth: how many recorded call chains are broken or lack what users expect.
//
// A frame-pointer chain breaks at code built without frame pointers: the register holds other data, which is taken for
// an address, so the outermost frame is in no map. Interpreters execute all functions of a program in one function,
// which hides them unless the interpreter writes a map (/tmp/perf-PID.map). Computed from a frozen Hists.
#pragma once
#include <string>
#include <string_view>

#include "analysis/hist/chain/hist_frame.h"
#include "analysis/hist/entry/hists.h"
#include "base/types.h"
#include "machine/dso/dso.h"

namespace peregrine {

struct StackHealth {
  u64 samples = 0;                    // with chains that reach user space
  u64 broken = 0;                     // with chains that end outside all maps
  u32 broken_dso = HistFrame::kNone;  // where most of them broke; none: unknown
  u64 interpreted = 0;                // with chains through an interpreter that show no function of its program
  std::string_view interpreter;       // "Python": the most frequent
};

StackHealth stack_health_of(const Hists& hists, const DsoTable& dsos);

// One sentence each, with a remedy; empty if insignificant.
std::string explain_broken_stacks(const StackHealth& health, const DsoTable& dsos);
std::string explain_interpreted_stacks(const StackHealth& health);

}  // namespace peregrine
