// RecordedSamples: --itrace=G: the samples that were recorded beside an instruction trace get the callers that the
// trace tells of.
//
// Their events' attrs say so from then on; the samples are written anew. Not of events that have callchains, or fields
// that cannot be written again (counters, registers, stacks).
#pragma once
#include <vector>

#include "data/header/evlist.h"
#include "pipeline/decode/trace/call_stack.h"

namespace peregrine {

class RecordedSamples {
 public:
  // Changes the attrs of `evlist`, whose decoders go on reading what was recorded. Of no events unless `wanted`; never
  // of `traced`, which recorded the trace.
  RecordedSamples(data::Evlist& evlist, u32 traced, u32 callers, bool wanted);

  // Whether the sample is one of them, and was then appended to `out` with its callers.
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
