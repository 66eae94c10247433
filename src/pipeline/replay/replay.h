// Replay: the main loop from recorded bytes to resolved samples, for files and pipes.
//
//   Reader ─ Order ─▶ batch ─▶ pass 1, in order: decode side-band, Machine::apply, list samples with their moments
//                          └─▶ pass 2, in parallel slices: filter, decode, sink.sample() with the worker's Resolver
//
// A slice is a run of adjacent records for one worker; slices are numbered in order over the whole replay. A sink
// merges its per-worker state after run(), and writes per-slice output (text) in order from end_slice(). Samples and
// side-band are valid only during the call.
#pragma once
#include <bitset>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "abi/arch/registers.h"
#include "abi/attr.h"
#include "abi/record.h"
#include "abi/sample.h"
#include "abi/side_band.h"
#include "base/bytes.h"
#include "base/result.h"
#include "base/types.h"
#include "data/order/order.h"
#include "data/reader/reader.h"
#include "machine/machine.h"
#include "machine/process/moment.h"
#include "machine/resolver/cfi_tables.h"
#include "machine/resolver/resolver.h"
#include "pipeline/replay/account.h"
#include "pipeline/replay/deferred_chains.h"
#include "pipeline/replay/filter.h"
#include "unwind/branch_stitcher.h"

namespace peregrine {

// A sample passed to a sink.
struct ReplaySample {
  const abi::Sample& sample;
  const Resolver::Context& context;  // thread, comm, spaces at its moment
  u32 event;                         // index into the evlist
  u64 period;                        // its weight; for samples that read counters, the growth of its event's counter
  Moment moment;
  u64 file_offset;
  bool unwound = false;  // the callchain was completed with user frames and limited to max_stack
  const abi::RecordView* raw = nullptr;
  // The bytes of the raw record. A pointer, because copying the view right after it was made stalls for 10 ns per
  // event.
  Bytes record() const { return raw != nullptr ? raw->bytes : Bytes(); }
};

// A side-band record that the sink requested.
struct ReplaySideBand {
  const abi::RecordView& record;
  const abi::SideBand* side_band;  // null: not a kernel record, or malformed
  u64 time;                        // 0 if it has none
  u32 event;
  Moment moment;
};

// Any record, as recorded.
struct ReplayRecord {
  const abi::RecordView& record;
  const abi::Sample* sample;       // null: not a sample, of an unknown event, or malformed
  const abi::SideBand* side_band;  // null: not a kernel record, or malformed
  u32 event;                       // index into the evlist, or kNoEvent
  Moment moment;
};

class ReplaySink {
 public:
  virtual ~ReplaySink() = default;
  // Called before the first batch; worker numbers are below `workers`.
  virtual void begin(unsigned workers) { static_cast<void>(workers); }
  // Called alone, before the machine processes a new batch.
  virtual void before_batch() {}
  // Called alone, before the slices of a batch. In a pipe the evlist may have grown.
  virtual void begin_batch() {}
  // Called alone, after begin_batch(). False: samples of this event are only counted, not decoded, unless a filter
  // needs them.
  virtual bool needs_samples_of(u32 event) const;
  // Called in parallel for different workers; in order within a slice, and a worker's slices ascend.
  virtual void begin_slice(u64 slice, unsigned worker);
  virtual void sample(const ReplaySample& sample, Resolver& resolver, unsigned worker) = 0;
  // Like sample(), and in order with it, for the record types in ReplayOptions::shown.
  virtual void side_band(const ReplaySideBand& record, Resolver& resolver, unsigned worker);
  // Like sample(), for every record if ReplayOptions::every_record is set: before sample() and side_band(), and before
  // any filter.
  virtual void record(const ReplayRecord& record, Resolver& resolver, unsigned worker);
  virtual void end_slice(u64 slice, unsigned worker);
  // Called alone, after all slices of a batch. Return false to stop the replay.
  virtual bool end_batch() { return true; }
};

struct ReplayOptions {
  unsigned workers = 0;          // 0: one per CPU
  std::bitset<128> shown;        // bit n: side_band() gets records of type n
  bool every_record = false;     // record() gets all records
  bool by_time = true;           // false: in file order
  std::bitset<128> unapplied;    // bit n: the machine ignores records of type n
  bool unwind = true;            // complete callchains with recorded user stacks or calls,
  unsigned max_stack = 127;      // up to that many frames
  bool stitch_branches = false;  // --stitch-lbr
  bool accessing = false;        // move data breakpoints to the instruction that accessed the data (watchpoint.h)
  bool merge_chains = true;      // complete callchains with deferred user stacks
  SampleFilter filter;
  std::size_t slice_records = 256;
  std::size_t batch_bytes = 1u << 19;
  std::size_t least_bytes = data::OrderOptions().least_bytes;
};

class Replay {
 public:
  // `reader` and `machine`, and run()'s sink, must outlive the replay.
  Replay(data::Reader& reader, Machine& machine, ReplayOptions options);
  ~Replay();

  // Reads to the end. On error the file is broken; the sink has received everything before that.
  Result<> run(ReplaySink& sink);

  const ReplayAccount& account() const { return account_; }

  // For live sessions, which have no end; call between two batches. forget() frees all data about frames, and the
  // symbols of dsos that are not `used`, by id. The sinks must have forgotten their FrameIds.
  std::size_t frame_count() const;
  void forget(const std::vector<bool>& used);

 private:
  struct Worker;
  // Weights of a sample that reads counters: one entry per counter that grew.
  struct CounterDelta {
    u32 record = 0;  // index in the batch
    u32 event = 0;
    u64 id = 0;
    u64 period = 0;
  };

  enum class UserPart : u8 { Recorded, Unwound, Branches };
  static UserPart user_part(const abi::EventAttr& attr);

  // Callers from an earlier sample's branch records.
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
  void count_sample(u32 event, u64 time, Worker& worker) const;
  void deliver_sample(const abi::RecordView& record, u32 event, std::size_t index, u64 time, Moment moment,
                      Worker& worker, ReplaySink& sink);
  void deliver_side_band(const abi::RecordView& record, u64 time, Moment moment, Worker& worker, ReplaySink& sink);
  void make_workers(unsigned count);
  void add_up();
  EventAccount& event_account(u32 event);

  data::Reader& reader_;
  Machine& machine_;
  ReplayOptions options_;
  ReplayAccount account_;
  bool filtered_ = false;
  bool by_time_ = false;
  std::size_t build_ids_taken_ = 0;
  CfiTables cfi_tables_;
  mutable std::mutex workers_mutex_;
  std::vector<std::unique_ptr<Worker>> workers_;  // while run() runs
  abi::Arch arch_ = abi::kHostArch;               // of the recorded machine
  std::vector<UserPart> user_parts_;              // of callchains, by event
  std::vector<u8> reads_counters_;                // by event
  std::vector<u8> ignored_;                       // by event: the sink needs no samples
  std::unordered_map<u64, u64> counters_;         // last value by id
  std::vector<CounterDelta> deltas_;              // of the batch, by record
  DeferredChains deferred_chains_;                // of the batch
  std::optional<BranchStitcher> stitcher_;
  std::vector<Stitched> stitched_;  // of the batch, by record
  std::vector<u64> stitched_words_;
  abi::SideBandScratch scratch_;
  abi::SampleScratch sample_scratch_;
};

}  // namespace peregrine
