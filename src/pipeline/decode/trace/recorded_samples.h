// RecordedSamples: --itrace=G: adds callchains from an instruction trace to the samples recorded with it.
//
// Changes the events' attrs accordingly and rewrites the samples. Skips events that already have callchains, or fields
// that cannot be rewritten (counters, registers, stacks).
#pragma once
#include <vector>

#include "abi/record.h"
#include "abi/sample.h"
#include "base/bytes.h"
#include "base/types.h"
#include "data/header/evlist.h"
#include "pipeline/decode/trace/call_stack.h"

namespace peregrine {

class RecordedSamples {
 public:
  // Changes the attrs of `evlist`; its decoders keep reading the recorded layout. Changes no events unless `wanted`,
  // and never `traced`, which recorded the trace.
  RecordedSamples(data::Evlist& evlist, u32 traced, u32 callers, bool wanted);

  // Whether the sample is one of them; if so, appends it to `out` with its callers.
  bool edit(const abi::RecordView& record, const CallStack& calls, ByteWriter& out);

 private:
  data::Evlist& evlist_;
  u32 callers_;
  std::vector<bool> changed_;  // by event
  abi::Sample sample_;
  abi::SampleScratch scratch_;
  std::vector<u64> chain_;
};

}  // namespace peregrine
