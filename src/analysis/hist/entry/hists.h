// Hists: the result of a histogram run: one sum per (group, frame hit, callchain).
//
// The replay fills one Hists per worker; merge() joins two by content, so results do not depend on ids or thread
// counts. Everything a report shows (rows, children, call graphs, flame graphs) is computed from it later
// (row_table.h).
#pragma once
#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "analysis/flat_index.h"
#include "analysis/hist/chain/branch_sums.h"
#include "analysis/hist/chain/chain_tree.h"
#include "analysis/hist/chain/hist_frame.h"
#include "analysis/hist/entry/group_table.h"
#include "analysis/hist/entry/kept_samples.h"
#include "base/types.h"

namespace peregrine {

struct HistEntry {
  u32 group = 0;  // GroupId
  u32 leaf = 0;   // HistFrameId of the sampled address
  u32 chain = 0;  // ChainId; the root if there is no callchain
  u32 samples = 0;
  u64 period = 0;
  u32 first = 0;   // ordinal of the first sample
  u32 thread = 0;  // thread of the first sample

  bool same_place(const HistEntry& other) const {
    return chain == other.chain && leaf == other.leaf && group == other.group;
  }
};

// Sums over all samples of one event.
struct EventTotals {
  u64 samples = 0, period = 0;                   // all samples
  u64 shown_samples = 0, shown_period = 0;       // those that passed the filters
  u64 chain_period = 0, shown_chain_period = 0;  // those with a callchain
};

class Hists {
 public:
  // values_per_group: see GroupTable. frame_values: which of them are HistFrameIds, so that merge() translates them.
  explicit Hists(std::size_t values_per_group, std::vector<bool> frame_values = {});

  GroupTable& groups() { return groups_; }
  HistFrameTable& frames() { return frames_; }
  ChainTree& chains() { return chains_; }
  const GroupTable& groups() const { return groups_; }
  const HistFrameTable& frames() const { return frames_; }
  const ChainTree& chains() const { return chains_; }

  struct Hit {
    GroupId group;
    HistFrameId leaf;
    ChainId chain = kRootChain;
    u64 period = 0;
    u32 ordinal = 0;  // position in time order
    u32 thread = 0;
  };
  // Adds one sample to its entry. Does not change totals.
  void add(const Hit& hit);
  // Adds `sums` to the entry with these ids.
  void add_sums(const HistEntry& sums);
  // Adds a sample's branch sums per frame of its chain, outermost first, to an existing entry.
  void add_branches(u32 group, u32 leaf, u32 chain, std::span<const BranchSums> frames);
  bool has_branches() const { return !branches_.empty(); }
  // For an entry, by frame of its chain, outermost first; empty if none were added.
  std::span<const BranchSums> branches_of(u32 entry) const {
    return entry < branches_.size() ? std::span<const BranchSums>(branches_[entry]) : std::span<const BranchSums>();
  }
  // Deferred add(): prefetches what it needs, which is far apart in memory. Call settle() before reading entries.
  void add_soon(const Hit& hit);
  void settle();
  // Adds a sample when most entries are expected to have just one: does not fully deduplicate, though a very large
  // number of duplicates gets merged. For Hists without look-ups by id.
  void append(const Hit& hit);

  // Keeps at most `most` samples of the entry with these ids, possibly this one.
  void keep(u32 group, u32 leaf, u32 chain, const KeptSample& sample, std::size_t most);
  const KeptSamples& kept() const { return kept_; }

  EventTotals& totals(u32 event);
  // Totals of an event; zeros if it never occurred.
  EventTotals totals(u32 event) const { return event < totals_.size() ? totals_[event] : EventTotals{}; }
  std::size_t event_count() const { return totals_.size(); }

  const std::vector<HistEntry>& entries() const { return entries_; }
  // By index in a group's values: whether it is a HistFrameId.
  const std::vector<bool>& frame_values() const { return frame_values_; }

  // Adds everything in `other`; the second overload empties it.
  void merge(const Hists& other);
  void merge(Hists&& other);
  // Frees what only add() needs.
  void freeze();
  std::size_t memory_bytes() const;

 private:
  static u64 hash(u32 group, u32 leaf, u32 chain) { return mix_bits((u64{leaf} << 32 | chain) ^ mix_bits(group)); }
  static u64 hash(const HistEntry& entry) { return hash(entry.group, entry.leaf, entry.chain); }
  u32 entry_id(u64 hash, u32 group, u32 leaf, u32 chain);
  void prefetch_entry(u64 hash) const;
  void join_appended();
  u32 entry_id(u32 group, u32 leaf, u32 chain) { return entry_id(hash(group, leaf, chain), group, leaf, chain); }

  GroupTable groups_;
  std::vector<bool> frame_values_;
  HistFrameTable frames_;
  ChainTree chains_;
  std::vector<HistEntry> entries_;
  std::vector<std::vector<BranchSums>> branches_;  // by entry; empty if no branches were added
  KeptSamples kept_;
  FlatIndex index_;
  std::vector<EventTotals> totals_;
  struct PendingHit {
    u64 hash = 0;
    Hit hit;
  };
  std::array<PendingHit, 16> pending_;
  std::size_t pending_count_ = 0;
  std::vector<u32> appended_;                        // by hash: a recently appended entry
  std::size_t append_limit_ = std::size_t{1} << 20;  // entries
};

}  // namespace peregrine
