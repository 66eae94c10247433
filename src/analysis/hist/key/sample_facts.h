// SampleFacts: properties that a sort key can query of the sample, or of the branch of a branch stack, that is being
// counted.
//
// HistCollector implements it for one worker. Costly answers are looked up when a key needs them, and cached.
// Frames are numbered in the worker's Hists.
#pragma once
#include <cstddef>

#include "abi/sample.h"
#include "analysis/data_type/data_type_table.h"
#include "analysis/hist/chain/hist_frame.h"
#include "base/types.h"
#include "pipeline/replay/replay.h"

namespace peregrine {

// One branch, with its ends as frames of a Hists.
struct BranchHit {
  abi::BranchEntry entry;
  HistFrameId from, to;
};

class SampleFacts {
 public:
  SampleFacts(const ReplaySample& sample, const BranchHit& branch) : sample_(sample), branch_(branch) {}
  virtual ~SampleFacts() = default;

  const ReplaySample& replayed() const { return sample_; }
  const abi::Sample& sample() const { return sample_.sample; }
  // Only valid if branches are counted.
  const BranchHit& branch() const { return branch_; }

  virtual i32 socket() = 0;        // of the sample's CPU; -1 if unknown
  virtual u64 parallelism() = 0;   // running threads, including the sampled one
  virtual u64 time_quantum() = 0;  // ns: the step of the `time` key

  virtual HistFrameId parent() = 0;           // the caller that matches --parent
  virtual HistFrameId function() = 0;         // the sampled function's frame
  virtual HistFrameId place() = 0;            // the sampled address in it
  virtual HistFrameId call_site() = 0;        // the address of the call
  virtual HistFrameId data(u64 address) = 0;  // the frame of the accessed data

  virtual u32 trace_text() = 0;              // id in TraceTexts
  virtual u32 field(std::size_t index) = 0;  // id in TraceFields of a dynamic key's value
  virtual DataTypeTable::Texts data_type() = 0;

 private:
  const ReplaySample& sample_;
  const BranchHit& branch_;
};

}  // namespace peregrine
