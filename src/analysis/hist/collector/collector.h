// HistCollector: the sink that aggregates replayed samples into a Hists: one per worker, merged at the end.
//
//   sample ─▶ filters ─▶ group of the sort keys' values ─▶ frame hit ─▶ chain: one look-up for known chains ─▶
//   Hists::add
//
// Filtered-out samples still count in the totals that percentages refer to. Thread safe as ReplaySink requires.
#pragma once
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_set>
#include <vector>

#include "abi/sample.h"
#include "analysis/data_type/data_type_table.h"
#include "analysis/data_type/frame_data_types.h"
#include "analysis/hist/chain/chain_tree.h"
#include "analysis/hist/chain/hist_frame.h"
#include "analysis/hist/entry/hists.h"
#include "analysis/hist/key/recorded_names.h"
#include "analysis/hist/key/sort_key.h"
#include "analysis/hist/key/trace_fields.h"
#include "analysis/hist/key/trace_texts.h"
#include "analysis/hist/row/row_table.h"
#include "base/result.h"
#include "base/text/pattern.h"
#include "base/types.h"
#include "machine/resolver/resolver.h"
#include "machine/source/source_table.h"
#include "pipeline/replay/event_switch.h"
#include "pipeline/replay/replay.h"

namespace peregrine {

class RecentChains;

struct HistFilter {
  std::unordered_set<std::string> comms, dsos, symbols;  // empty: all; dsos by short or long name
  std::unordered_set<u32> pids, tids;
  std::optional<i32> socket;             // processor socket; samples without it are rejected
  bool hide_unresolved = false;          // drop samples and frames without a symbol
  bool hide_idle = false;                // and samples in the kernel's idle functions
  std::unordered_set<u32> parallelisms;  // empty: all
  bool exclude_other = false;            // keep only samples with a parent
};

// How frames without a symbol are distinguished: by address or by dso. Joined: by dso, and adjacent ones are merged.
enum class UnknownFrames : u8 { ByAddress, ByDso, Joined };

// The parallelism key needs one worker and the SWITCH, SWITCH_CPU_WIDE and EXIT records.
struct CollectRequest {
  std::vector<SortKey> keys;
  GroupTail tail = GroupTail::None;
  bool chains = true;        // keep callchains
  bool leaf_chains = false;  // give samples without a callchain a one-frame chain
  bool by_leaf = true;       // entries distinguish the frame hit, not only their chains
  UnknownFrames unknown_frames = UnknownFrames::ByAddress;
  TraceTexts* traces = nullptr;         // for the trace key; must outlive the collector
  TraceFields* fields = nullptr;        // for dynamic keys; must outlive the collector
  DataTypeTable* data_types = nullptr;  // for type keys; must outlive the collector
  SourceTable* sources = nullptr;       // must outlive the collector; null: the next four are unused
  bool inlined = false;                 // expand inlined functions in chains
  bool leaf_lines = false;              // frames hit have source lines
  bool chain_lines = false;             // chain frames have source lines
  bool chain_offsets = false;           // where unknown, "+12" instead of "main+12"
  bool appends = false;                 // allow duplicate entries: for pages, which sum them anyway
  bool appends_groups = false;          // and duplicate groups: for samples that keep their times
  bool by_weight = false;               // weight samples by access cost instead of period
  bool branches = false;                // count branches of branch stacks instead of samples; no chains
  bool blocks = false;                  // with branches: count the code between two of them, by cycles
  bool branch_lines = false;            // branch ends have source lines
  bool branch_addresses = false;        // branch ends are distinguished by address
  bool histories = false;               // branch stacks are part of the callchains, before the callers
  bool by_address = false;              // distinguish frames of a function by address
  bool outermost_first = false;         // of several parents in a chain, use the outermost
  ChainOrder history_order = ChainOrder::Callee;
  unsigned max_stack = 127;
  std::size_t kept_samples = 0;    // samples to keep per entry for inspection
  u64 time_quantum = 100'000'000;  // ns, for the time key
  std::vector<i32> socket_of_cpu;
  HistFilter filter;
  EventSwitch event_switch;                   // requires a replay with one worker
  std::vector<ReplaySink*> also;              // receive the counted samples; must outlive the collector
  std::optional<std::string> parent;          // regex of the parent key
  std::optional<std::string> ignore_callees;  // regex: attribute callees of these functions to them
};

// A thread's counter value of one event, from PERF_RECORD_READ (record -s).
struct ThreadRead {
  u32 pid = 0, tid = 0, event = 0;
  u64 value = 0;
};

class HistCollector : public ReplaySink {
 public:
  // Errors: Usage or Unsupported, for an invalid regular expression.
  static Result<std::unique_ptr<HistCollector>> make(CollectRequest request);
  ~HistCollector() override;

  void begin(unsigned workers) override;
  void begin_batch() override;
  void sample(const ReplaySample& sample, Resolver& resolver, unsigned worker) override;

  // Receives READ records if the replay shows them.
  void side_band(const ReplaySideBand& record, Resolver& resolver, unsigned worker) override;
  // In recording order. Call after the replay.
  std::vector<ThreadRead> thread_reads() const;

  // From the records in ReplayOptions::shown. Call after the replay.
  RecordedNames recorded_names() const;

  // For type keys. Call before finish().
  UnknownTypeCounts unknown_types() const;

  // Merges all workers' sums. Call once, after the replay.
  Hists finish();
  // The counts since the last call; call between two batches.
  Hists take();
  // A copy of the counts so far; call between two batches.
  Hists look() const;

 private:
  struct Worker;
  class Facts;
  struct Source;
  struct ChainPart;
  struct KnownFrame;
  struct KnownChains;
  explicit HistCollector(CollectRequest request);
  static FrameId hit_frame(const ReplaySample& sample, Resolver& resolver);
  // Socket of the sample's CPU; -1 if unknown.
  i32 socket_of(const abi::Sample& sample) const;
  bool refused(const ReplaySample& sample, Resolver& resolver, const Frame& frame) const;
  // Whether the sample passed the filters. `hit` may be invalid if it does not matter.
  bool count_sample(Worker& worker, const ReplaySample& sample, Resolver& resolver, FrameId hit) const;
  void count_blocks(Worker& worker, const ReplaySample& sample, Resolver& resolver) const;
  void count_branches(Worker& worker, const ReplaySample& sample, Resolver& resolver) const;
  void add_hit(Worker& worker, const ReplaySample& sample, HistFrameId leaf, ChainId chain, u64 period) const;
  HistFrameId leaf_frame(Worker& worker, Resolver& resolver, FrameId frame) const;
  HistFrameId chain_frame(Worker& worker, Resolver& resolver, FrameId frame, u64 ip, SourceTextId line) const;
  // Whether frames differ by address or by process.
  bool tells_addresses(const Frame& frame) const;
  KnownFrame& known_frame(Worker& worker, Resolver& resolver, FrameId frame) const;
  // Appends the functions inlined at the frame, then the frame, to the worker's path.
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
  // Appends a callchain's frames to the worker's path.
  void add_callers(Worker& worker, const ReplaySample& sample, Resolver& resolver,
                   std::span<const u64> callchain) const;
  // The chain of the worker's path, after removing callees per ignore_callees.
  ChainId path_chain(Worker& worker, Resolver& resolver) const;
  // The chain of branches and callers; sets the worker's branch sums to those of its frames.
  ChainId history_chain(Worker& worker, const ReplaySample& sample, Resolver& resolver) const;
  HistFrameId branch_frame(Worker& worker, const ReplaySample& sample, Resolver& resolver, u64 address) const;
  void fill_group(Worker& worker, const ReplaySample& sample, Resolver& resolver, ChainId chain) const;
  // The data type that the hit instruction accesses.
  FrameDataTypes::Answer data_type(Worker& worker, const ReplaySample& sample, Resolver& resolver) const;
  HistFrameId parent_of(Worker& worker, Resolver& resolver, ChainId chain) const;
  bool matches(Worker& worker, Resolver& resolver, HistFrameId frame, const Pattern& pattern,
               std::vector<signed char>& memo) const;
  std::vector<bool> frame_values() const;

  CollectRequest request_;
  bool needs_parallelism_;
  bool needs_hit_;  // the frame hit matters, not only the chain
  std::optional<Pattern> parent_, ignore_callees_;
  std::vector<std::unique_ptr<Worker>> workers_;
  RecordedNames names_;  // from workers that have ended
};

}  // namespace peregrine
