// Replay: the one loop from recorded bytes to resolved samples (file and pipe alike).
//
//   Reader ─ Order ─▶ batch ─▶ pass 1, in order: decode side-band, Machine::apply, list samples with their moments
//                          └─▶ pass 2, in parallel slices: filter, decode, sink.sample() with the worker's Resolver
//
// A slice is a run of neighbouring samples given to one worker; slices are numbered in order within a batch. What a sink
// keeps per worker is merged by it after run(); what it keeps per slice (text) it writes in order in end_batch(). Samples
// and side-band are valid only during the call.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "abi/sample.h"
#include "abi/side_band.h"
#include "base/worker_pool.h"
#include "data/evlist.h"
#include "data/reader.h"
#include "machine/machine.h"
#include "machine/resolver.h"
#include "pipeline/replay/account.h"
#include "pipeline/replay/filter.h"

namespace peregrine {

// One sample on its way to a sink.
struct ReplaySample {
  const abi::Sample& sample;
  const Resolver::Context& context;  // thread, comm, spaces at its moment
  u32 event;                         // index into the evlist
  u64 period;                        // what it counts for: of a group member, the delta of its counter
  Moment moment;
  u64 file_offset;
};

// One side-band record that the sink asked to see.
struct ReplaySideBand {
  const abi::RecordView& record;
  const abi::SideBand* side_band;  // null: not a kernel record, or malformed
  u64 time;                        // 0 when it has none
  u32 event;
  Moment moment;
};

class ReplaySink {
 public:
  virtual ~ReplaySink() = default;
  // Before the first batch: workers will be numbered below `workers`.
  virtual void begin(unsigned workers) { static_cast<void>(workers); }
  // A batch of `slices` slices follows.
  virtual void begin_batch(std::size_t slices) { static_cast<void>(slices); }
  // Called in parallel for different workers; in order within a slice.
  virtual void sample(const ReplaySample& sample, Resolver& resolver, unsigned worker, std::size_t slice) = 0;
  // Called like sample(), in order with it, for the record types in ReplayOptions::shown.
  virtual void side_band(const ReplaySideBand& record, Resolver& resolver, unsigned worker, std::size_t slice);
  // Called once per batch, in order, when all slices are done. False stops the replay.
  virtual bool end_batch() { return true; }
};

struct ReplayOptions {
  unsigned workers = 0;          // 0: one per processor
  u64 shown = 0;                 // bit n: side_band() gets records of type n (below 64); user types: bit 63
  SampleFilter filter;
  bool expand_groups = true;     // a {…}:S sample becomes one per member
  std::size_t slice_samples = 4096;
};

class Replay {
 public:
  // All three outlive the replay.
  Replay(data::Reader& reader, Machine& machine, ReplayOptions options);

  // Reads to the end. An error is a broken file; what came before it has reached the sink.
  Result<> run(ReplaySink& sink);

  const ReplayAccount& account() const { return account_; }

 private:
  data::Reader& reader_;
  Machine& machine_;
  ReplayOptions options_;
  ReplayAccount account_;
};

}  // namespace peregrine
