// HistCollector: the sink that turns replayed samples into a Hists: one per worker, joined at the end.
//
//   sample ─▶ filters ─▶ group of the sort keys' values ─▶ frame hit ─▶ chain: one look-up when met before ─▶
//   Hists::add
//
// Samples that a filter refuses still count in the totals that shares are taken of. Thread safe as ReplaySink asks.
#pragma once
#include <memory>
#include <string>
#include <unordered_set>
#include <vector>

#include "analysis/data_type/frame_data_types.h"
#include "analysis/hist/chain/chain_memo.h"
#include "analysis/hist/collector/place_frames.h"
#include "analysis/hist/entry/hists.h"
#include "analysis/hist/key/branch_keys.h"
#include "analysis/hist/key/recorded_names.h"
#include "analysis/hist/key/sort_key.h"
#include "analysis/hist/key/trace_fields.h"
#include "analysis/hist/key/trace_texts.h"
#include "analysis/hist/row/row_table.h"
#include "base/text/pattern.h"
#include "machine/source/source_table.h"
#include "pipeline/replay/event_switch.h"
#include "pipeline/replay/replay.h"

namespace peregrine {

class RecentChains;

struct HistFilter {
  std::unordered_set<std::string> comms, dsos, symbols;  // empty: all; dsos by short or long name
  std::unordered_set<u32> pids, tids;
  std::optional<i32> socket;             // of the processor; samples that do not tell it are refused
  bool hide_unresolved = false;          // samples and frames without a symbol are not there at all
  bool hide_idle = false;                // nor are samples of the kernel's idle functions
  std::unordered_set<u32> parallelisms;  // empty: all
  bool exclude_other = false;            // only samples with a parent
};

// What tells frames without a symbol apart: their addresses, or their dsos alone. Joined: and neighbours are one.
enum class UnknownFrames : u8 { ByAddress, ByDso, Joined };

// Parallelism, as a key, needs one worker and the SWITCH, SWITCH_CPU_WIDE and EXIT records.
struct CollectRequest {
  std::vector<SortKey> keys;
  bool by_cpumode = false;   // groups get the sample's cpumode as last value
  bool by_process = false;   // or the pid; not both
  bool chains = true;        // keep callchains
  bool leaf_chains = false;  // a sample without a callchain gets the chain of its one frame
  bool by_leaf = true;       // entries tell what was hit; else their chains alone do
  UnknownFrames unknown_frames = UnknownFrames::ByAddress;
  TraceTexts* traces = nullptr;         // outlives the collector; of the trace key
  TraceFields* fields = nullptr;        // outlives the collector; of the dynamic keys
  DataTypeTable* data_types = nullptr;  // outlives the collector; of the type keys
  SourceTable* sources = nullptr;       // outlives the collector; null: the next four are not asked for
  bool inlined = false;                 // functions inlined at a frame of a chain are frames of it
  bool leaf_lines = false;              // frames hit have their source line
  bool chain_lines = false;             // frames of chains have theirs
  bool chain_offsets = false;           // where that is unknown, "+12" instead of "main+12"
  bool appends = false;                 // entries may be there several times: for pictures, which add them up anyway
  bool by_weight = false;               // a sample counts as much as its access cost, not as its period
  bool branches = false;                // the branches of branch stacks are counted, not samples; without chains
  bool blocks = false;                  // with branches: what lies between two of them is counted, by its cycles
  bool branch_lines = false;            // their ends have their source line
  bool branch_addresses = false;        // and are told apart by address
  bool histories = false;               // branch stacks are a part of the callchains, before their callers
  bool by_address = false;              // frames of one function are told apart by address
  bool outermost_first = false;         // of several parents in a chain, the outermost one counts
  ChainOrder history_order = ChainOrder::Callee;
  unsigned max_stack = 127;
  std::size_t kept_samples = 0;    // of each entry, so many are kept to be looked at
  u64 time_quantum = 100'000'000;  // ns, for the time key
  std::vector<i32> socket_of_cpu;
  HistFilter filter;
  EventSwitch event_switch;                   // with one, the replay has one worker
  std::vector<ReplaySink*> also;              // get the samples that are counted; outlive the collector
  std::optional<std::string> parent;          // regex for the parent key
  std::optional<std::string> ignore_callees;  // regex: what these functions call counts as theirs
};

// What PERF_RECORD_READ said a thread's counter of one event had reached (record -s).
struct ThreadRead {
  u32 pid = 0, tid = 0, event = 0;
  u64 value = 0;
};

class HistCollector : public ReplaySink {
 public:
  // Errors: Usage or Unsupported, an invalid regular expression.
  static Result<std::unique_ptr<HistCollector>> make(CollectRequest request);
  ~HistCollector() override;

  void begin(unsigned workers) override;
  void begin_batch() override;
  void sample(const ReplaySample& sample, Resolver& resolver, unsigned worker) override;

  // Sees READ records, when the replay is asked to show them.
  void side_band(const ReplaySideBand& record, Resolver& resolver, unsigned worker) override;
  // In order of the recording. After the replay.
  std::vector<ThreadRead> thread_reads() const;

  // From the records that the replay was asked to show. After the replay.
  RecordedNames recorded_names() const;

  // Samples of the type keys. Before finish().
  UnknownTypeCounts unknown_types() const;

  // All workers' sums in one. Once, after the replay.
  Hists finish();
  // The same between two batches: what was counted since the last time.
  Hists take();
  // Between two batches: a copy of what was counted so far.
  Hists look() const;

 private:
  struct Worker;
  struct Source;
  struct ChainPart;
  struct KnownFrame;
  struct KnownChains;
  explicit HistCollector(CollectRequest request);
  static FrameId hit_frame(const ReplaySample& sample, Resolver& resolver);
  // Of the processor that took the sample; -1: not known.
  i32 socket_of(const abi::Sample& sample) const;
  bool refused(const ReplaySample& sample, Resolver& resolver, const Frame& frame) const;
  // Whether no filter refused it. `hit`: invalid when it does not matter.
  bool count_sample(Worker& worker, const ReplaySample& sample, Resolver& resolver, FrameId hit) const;
  void count_blocks(Worker& worker, const ReplaySample& sample, Resolver& resolver) const;
  void count_branches(Worker& worker, const ReplaySample& sample, Resolver& resolver) const;
  void add_hit(Worker& worker, const ReplaySample& sample, HistFrameId leaf, ChainId chain, u64 period) const;
  HistFrameId leaf_frame(Worker& worker, Resolver& resolver, FrameId frame) const;
  HistFrameId chain_frame(Worker& worker, Resolver& resolver, FrameId frame, u64 ip, SourceTextId line) const;
  // Whether the frame is another one at another address, or in another process.
  bool tells_addresses(const Frame& frame) const;
  KnownFrame& known_frame(Worker& worker, Resolver& resolver, FrameId frame) const;
  // Appends the frame to the worker's path, after the functions inlined at it.
  void add_to_path(Worker& worker, Resolver& resolver, FrameId frame, u64 ip, SourceTable::Place place) const;
  void make_path(Worker& worker, Resolver& resolver, FrameId frame, u64 ip, SourceTable::Place place,
                 std::vector<HistFrameId>& path) const;
  const Source& source_of(Worker& worker, Resolver& resolver, FrameId frame, SourceTable::Place place) const;
  ChainId child(Worker& worker, Resolver& resolver, ChainId chain, HistFrameId frame) const;
  ChainId chain_of(Worker& worker, const ReplaySample& sample, Resolver& resolver) const;
  ChainId part_of_chain(Worker& worker, const ReplaySample& sample, Resolver& resolver, const ChainPart& part,
                        KnownChains& known) const;
  ChainId insert_chain(Worker& worker, const ReplaySample& sample, Resolver& resolver, const ChainPart& part,
                       RecentChains& recent) const;
  // Appends the frames of a callchain to the worker's path.
  void add_callers(Worker& worker, const ReplaySample& sample, Resolver& resolver,
                   std::span<const u64> callchain) const;
  // The chain of the worker's path, from which functions that are counted with their callees are taken out.
  ChainId path_chain(Worker& worker, Resolver& resolver) const;
  // The chain of branches and callers; the worker's branch sums are those of its frames.
  ChainId history_chain(Worker& worker, const ReplaySample& sample, Resolver& resolver) const;
  HistFrameId branch_frame(Worker& worker, const ReplaySample& sample, Resolver& resolver, u64 address) const;
  u64 group_value(Worker& worker, const ReplaySample& sample, Resolver& resolver, ChainId chain, SortKey key) const;
  void fill_group(Worker& worker, const ReplaySample& sample, Resolver& resolver, ChainId chain) const;
  // What the instruction hit touches.
  FrameDataTypes::Answer data_type(Worker& worker, const ReplaySample& sample, Resolver& resolver) const;
  HistFrameId parent_of(Worker& worker, Resolver& resolver, ChainId chain) const;
  bool matches(Worker& worker, Resolver& resolver, HistFrameId frame, const Pattern& pattern,
               std::vector<signed char>& memo) const;
  std::vector<bool> frame_values() const;

  CollectRequest request_;
  bool needs_parallelism_;
  bool needs_hit_;  // what was hit matters, not only how it was reached
  std::optional<Pattern> parent_, ignore_callees_;
  std::vector<std::unique_ptr<Worker>> workers_;
  RecordedNames names_;  // of workers that are gone
};

}  // namespace peregrine
