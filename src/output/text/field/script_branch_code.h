// The instructions that led to a sample, reconstructed from its branch stack: -F brstackinsn.
//
//   \tmiddle:
//   \t000000000040161a\tinsn: 41 55
//   \t0000000000401622\tinsn: 7e 39                   \t# MISPRED 5 cycles [6] 1.20 IPC
//
// Between one branch's target and the next branch's source the code ran straight: a block. The last block ends at the
// sample. Format: linux-perf 6.1's.
#pragma once
#include "base/types.h"
#include "machine/resolver/resolver.h"
#include "output/text/field/script_branch_counters.h"
#include "output/text/field/script_code.h"
#include "output/text/format/script_text.h"
#include "pipeline/replay/replay.h"

namespace peregrine {

// `fields`: brstackinsn, brstackinsnlen, brstackdisasm, srcline, srccode, brcntr.
struct BranchCodeChoice {
  u64 fields = 0;
  unsigned max_blocks = 0;  // show only the last blocks; 0: all
};
void put_branch_code(ScriptText& out, const ReplaySample& sample, Resolver& resolver, const BranchCodeChoice& choice,
                     const BranchCounters& counters, ScriptCode& code);

}  // namespace peregrine
