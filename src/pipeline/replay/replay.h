// Replay: the one loop from recorded bytes to resolved samples (file and pipe alike).
//
//   Reader ─ Order ─▶ batch ─▶ pass 1, in order: decode side-band, Machine::apply, list samples with their moments
//                          └─▶ pass 2, in parallel slices: filter, decode, sink.sample() with the worker's Resolver
//
// A slice is a run of neighbouring records given to one worker; slices are numbered in order over the whole replay.
// What a sink keeps per worker is merged by it after run(); what it keeps per slice (text) it writes in order from
// end_slice(). Samples and side-band are valid only during the call.
#pragma once
#include <bitset>
#include <memory>
#include <unordered_map>
#include <vector>

#include "abi/arch/registers.h"
#include "abi/sample.h"
#include "abi/side_band.h"
#include "base/concurrency/worker_pool.h"
#include "data/order/order.h"
#include "data/reader/reader.h"
#include "machine/machine.h"
#include "machine/resolver/cfi_tables.h"
#include "machine/resolver/resolver.h"
#include "pipeline/replay/account.h"
#include "pipeline/replay/deferred_chains.h"
#include "pipeline/replay/filter.h"
#include "unwind/branch_stitcher.h"

namespace peregrine {

// One sample on its way to a sink.
struct ReplaySample {
  const abi::Sample& sample;
  const Resolver::Context& context;  // thread, comm, spaces at its moment
  u32 event;                         // index into the evlist
  u64 period;                        // what it counts for; of a sample that reads counters, the growth of its event's
  Moment moment;
  u64 file_offset;
  bool unwound = false;  // the callchain was completed with user frames, and cut to max_stack already
  Bytes record = {};     // the whole of it, as the recording has it
};

// One side-band record that the sink asked to see.
struct ReplaySideBand {
  const abi::RecordView& record;
  const abi::SideBand* side_band;  // null: not a kernel record, or malformed
  u64 time;                        // 0 when it has none
  u32 event;
  Moment moment;
};

// Any record, as it stands in the recording.
struct ReplayRecord {
  const abi::RecordView& record;
  const abi::Sample* sample;       // null: not a sample, of an unknown event, or malformed
  const abi::SideBand* side_band;  // null: not a kernel record, or malformed
  u32 event;                       // index into the evlist; kNoEvent when it is nobody's
  Moment moment;
};

class ReplaySink {
 public:
  virtual ~ReplaySink() = default;
  // Before the first batch: workers will be numbered below `workers`.
  virtual void begin(unsigned workers) { static_cast<void>(workers); }
  // Called alone, when a batch is there and before the machine learns of it.
  virtual void before_batch() {}
  // Called alone, before the slices of a batch. In a pipe the evlist may have grown.
  virtual void begin_batch() {}
  // Asked alone, after begin_batch(): false when it ignores the samples of this event, which are then counted and not
  // decoded, where no filter has to look at them.
  virtual bool needs_samples_of(u32 event) const;
  // Called in parallel for different workers; in order within a slice, and a worker's slices ascend.
  virtual void begin_slice(u64 slice, unsigned worker);
  virtual void sample(const ReplaySample& sample, Resolver& resolver, unsigned worker) = 0;
  // Called like sample(), in order with it, for the record types in ReplayOptions::shown.
  virtual void side_band(const ReplaySideBand& record, Resolver& resolver, unsigned worker);
  // Called like sample() for every record when ReplayOptions::every_record is set: before sample() and side_band(), and
  // before any filter.
  virtual void record(const ReplayRecord& record, Resolver& resolver, unsigned worker);
  virtual void end_slice(u64 slice, unsigned worker);
  // Called alone, when all slices of a batch have ended. False stops the replay.
  virtual bool end_batch() { return true; }
};

struct ReplayOptions {
  unsigned workers = 0;          // 0: one per processor
  std::bitset<128> shown;        // bit n: side_band() gets records of type n
  bool every_record = false;     // record() gets them all
  bool by_time = true;           // false: as they stand in the file
  std::bitset<128> unapplied;    // bit n: the machine learns nothing from records of type n
  bool unwind = true;            // complete callchains with the user stacks or calls that samples recorded,
  unsigned max_stack = 127;      // by at most so many frames
  bool stitch_branches = false;  // --stitch-lbr
  bool accessing = false;        // data breakpoints at the instruction that accessed the data (watchpoint.h)
  bool merge_chains = true;      // complete callchains with the deferred user stacks that came later
  SampleFilter filter;
  std::size_t slice_records = 256;
  std::size_t batch_bytes = 1u << 19;
  std::size_t least_bytes = data::OrderOptions().least_bytes;
};

class Replay {
 public:
  // All three outlive the replay.
  Replay(data::Reader& reader, Machine& machine, ReplayOptions options);

  // Reads to the end. An error is a broken file; what came before it has reached the sink.
  Result<> run(ReplaySink& sink);

  const ReplayAccount& account() const { return account_; }

 private:
  struct Worker;
  // A sample that reads counters counts for what they grew by: one part per counter that did.
  struct CounterDelta {
    u32 record = 0;  // index in the batch
    u32 event = 0;
    u64 id = 0;
    u64 period = 0;
  };

  enum class UserPart : u8 { Recorded, Unwound, Branches };
  static UserPart user_part(const abi::EventAttr& attr);

  // Callers that branch records of an earlier sample told of.
  struct Stitched {
    u32 record;  // index in the batch
    u32 count;
    std::size_t first;  // in stitched_words_
  };
  void stitch(const abi::RecordView& record, u32 index, u32 event);
  std::span<const u64> stitched_below(std::size_t index) const;

  void ask_for_needs(const ReplaySink& sink);
  void take_build_ids();
  void apply_side_band(const data::Batch& batch, Moment first);
  void set_jit_clock();
  void take_time_conversion(const abi::RecordView& record);
  void apply_one(const abi::RecordView& record, Moment moment);
  void count_lost(const abi::SideBand& record, u32 event);
  void read_counters(const abi::RecordView& record, u32 index, u32 event);
  void run_slice(const data::Batch& batch, std::size_t begin, std::size_t end, Moment first, Worker& worker,
                 ReplaySink& sink);
  void deliver_record(const abi::RecordView& record, Moment moment, Worker& worker, ReplaySink& sink);
  void deliver_sample(const abi::RecordView& record, std::size_t index, u64 time, Moment moment, Worker& worker,
                      ReplaySink& sink);
  void deliver_side_band(const abi::RecordView& record, u64 time, Moment moment, Worker& worker, ReplaySink& sink);
  void add_up(const std::vector<std::unique_ptr<Worker>>& workers);
  EventAccount& event_account(u32 event);

  data::Reader& reader_;
  Machine& machine_;
  ReplayOptions options_;
  ReplayAccount account_;
  bool filtered_ = false;
  bool by_time_ = false;
  std::size_t build_ids_taken_ = 0;
  CfiTables cfi_tables_;
  abi::Arch arch_ = abi::kHostArch;        // of the recorded machine
  std::vector<UserPart> user_parts_;       // of the callchains, by event
  std::vector<u8> reads_counters_;         // by event
  std::vector<u8> ignored_;                // by event: the sink needs none of its samples
  std::unordered_map<u64, u64> counters_;  // last value by id
  std::vector<CounterDelta> deltas_;       // of the batch, in order of record
  DeferredChains deferred_chains_;         // of the batch
  std::optional<BranchStitcher> stitcher_;
  std::vector<Stitched> stitched_;  // of the batch, in order of record
  std::vector<u64> stitched_words_;
  abi::SideBandScratch scratch_;
  abi::SampleScratch sample_scratch_;
};

}  // namespace peregrine
