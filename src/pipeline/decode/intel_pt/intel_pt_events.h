// IntelPtEvents: the events for samples decoded from Intel PT traces, as requested by `--itrace`, with linux-perf's
// attrs.
#pragma once
#include "auxtrace/itrace.h"
#include "base/types.h"
#include "data/header/evlist.h"
#include "pipeline/decode/intel_pt/intel_pt_facts.h"
#include "pipeline/decode/trace/trace_output.h"

namespace peregrine {

struct IntelPtEvents {
  static constexpr u32 kNone = ~u32{0};
  u32 branches = kNone, instructions = kNone, transactions = kNone, ptwrite = kNone, cbr = kNone, psb = kNone,
      mwait = kNone, pwre = kNone, exstop = kNone, pwrx = kNone;
  u64 period = 0;  // of instruction samples, in instructions or TSC ticks

  // `traced`: the event that recorded the trace.
  static IntelPtEvents add(TraceOutput& out, const data::Evlist& evlist, u32 traced, const IntelPtFacts& facts,
                           const ItraceOptions& options);
};

}  // namespace peregrine
