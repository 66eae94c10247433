#include "analysis/hist/entry/hists.h"

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>

#include "analysis/flat_index.h"
#include "base/types.h"

namespace peregrine {

namespace {

void count(HistEntry& to, const Hists::Hit& hit) {
  if (to.samples == 0 || hit.ordinal < to.first) {
    to.first = hit.ordinal;
    to.thread = hit.thread;
  }
  ++to.samples;
  to.period += hit.period;
}

}  // namespace

Hists::Hists(std::size_t values_per_group, std::vector<bool> frame_values)
    : groups_(values_per_group), frame_values_(std::move(frame_values)) {
  frame_values_.resize(values_per_group);
}

u32 Hists::entry_id(u64 hash, u32 group, u32 leaf, u32 chain) {
  const auto equal = [&](u32 row) { return entries_[row].same_place({.group = group, .leaf = leaf, .chain = chain}); };
  const auto hash_of = [&](u32 row) { return Hists::hash(entries_[row]); };
  const u32 id = index_.find_or_add(hash, static_cast<u32>(entries_.size()), equal, hash_of);
  if (id == entries_.size()) entries_.push_back({.group = group, .leaf = leaf, .chain = chain});
  return id;
}

void Hists::add(const Hit& hit) { count(entries_[entry_id(hit.group.value, hit.leaf.value, hit.chain.value)], hit); }

void Hists::append(const Hit& hit) {
  constexpr std::size_t kRecent = 1024;
  if (appended_.empty()) appended_.resize(kRecent, ~0u);
  const HistEntry fresh{.group = hit.group.value, .leaf = hit.leaf.value, .chain = hit.chain.value};
  u32& recent = appended_[hash(fresh) % kRecent];
  if (recent >= entries_.size() || !entries_[recent].same_place(fresh)) {
    if (entries_.size() >= append_limit_ && !groups_.has_appended()) join_appended();
    recent = static_cast<u32>(entries_.size());
    entries_.push_back(fresh);
  }
  count(entries_[recent], hit);
}

void Hists::join_appended() {
  const std::vector<HistEntry> old = std::move(entries_);
  entries_ = {};
  for (const HistEntry& one : old) add_sums(one);
  index_.release();
  append_limit_ = std::max(append_limit_, 2 * entries_.size());
}

void Hists::add_soon(const Hit& hit) {
  const u64 hash = Hists::hash(hit.group.value, hit.leaf.value, hit.chain.value);
  index_.prefetch(hash);
  pending_[pending_count_++] = {hash, hit};
  if (pending_count_ == pending_.size()) settle();
}

void Hists::settle() {
  const std::span<const PendingHit> hits(pending_.data(), pending_count_);
  for (const PendingHit& one : hits) prefetch_entry(one.hash);
  for (const auto& [hash, hit] : hits)
    count(entries_[entry_id(hash, hit.group.value, hit.leaf.value, hit.chain.value)], hit);
  pending_count_ = 0;
}

void Hists::prefetch_entry(u64 hash) const {
  if (const u32 row = index_.first_met(hash); row != FlatIndex::kEmpty) __builtin_prefetch(&entries_[row]);
}

void Hists::add_sums(const HistEntry& sums) {
  HistEntry& to = entries_[entry_id(sums.group, sums.leaf, sums.chain)];
  if (to.samples == 0 || sums.first < to.first) {
    to.first = sums.first;
    to.thread = sums.thread;
  }
  to.samples += sums.samples;
  to.period += sums.period;
}

void Hists::add_branches(u32 group, u32 leaf, u32 chain, std::span<const BranchSums> frames) {
  const u32 id = entry_id(group, leaf, chain);
  if (id >= branches_.size()) branches_.resize(id + 1);
  std::vector<BranchSums>& to = branches_[id];
  to.resize(std::max(to.size(), frames.size()));
  for (std::size_t at = 0; at < frames.size(); ++at) to[at].add(frames[at]);
}

void Hists::keep(u32 group, u32 leaf, u32 chain, const KeptSample& sample, std::size_t most) {
  kept_.add(entry_id(group, leaf, chain), std::span(&sample, 1), most);
}

EventTotals& Hists::totals(u32 event) {
  if (event >= totals_.size()) totals_.resize(event + 1);
  return totals_[event];
}

void Hists::merge(const Hists& other) {
  std::vector<HistFrameId> frame_map(other.frames_.size());
  for (u32 at = 0; at < frame_map.size(); ++at) frame_map[at] = frames_.intern(other.frames_[HistFrameId(at)]);
  const std::vector<ChainId> chain_map = chains_.merge(other.chains_, frame_map);

  std::vector<GroupId> group_map(other.groups_.size());
  std::vector<u64> values;
  for (u32 at = 0; at < group_map.size(); ++at) {
    const std::span<const u64> from = other.groups_[GroupId(at)];
    values.assign(from.begin(), from.end());
    for (std::size_t i = 0; i < values.size(); ++i)
      if (frame_values_[i] && values[i] < frame_map.size()) values[i] = frame_map[values[i]].value;
    group_map[at] = other.groups_.has_appended() ? groups_.append(values) : groups_.intern(values);
  }

  const bool appends = !appended_.empty() || !other.appended_.empty();
  const auto translated = [&](std::size_t at) {
    HistEntry from = other.entries_[at];
    from.group = group_map[from.group].value;
    from.leaf = frame_map[from.leaf].value;
    from.chain = chain_map[from.chain].value;
    return from;
  };
  if (appends) {
    entries_.reserve(entries_.size() + other.entries_.size());
    for (u32 at = 0; at < other.entries_.size(); ++at) entries_.push_back(translated(at));
  }
  for (u32 at = 0; !appends && at < other.entries_.size(); ++at) {
    // Index and entries exceed the CPU caches, so prefetch a few entries ahead.
    constexpr u32 kIndexAhead = 16, kEntryAhead = 8;
    if (at + kIndexAhead < other.entries_.size()) index_.prefetch(hash(translated(at + kIndexAhead)));
    if (at + kEntryAhead < other.entries_.size()) prefetch_entry(hash(translated(at + kEntryAhead)));
    const HistEntry from = translated(at);
    add_sums(from);
    if (const auto branches = other.branches_of(at); !branches.empty())
      add_branches(from.group, from.leaf, from.chain, branches);
    if (!other.kept_.empty()) kept_.merge(entry_id(from.group, from.leaf, from.chain), other.kept_, at);
  }
  for (u32 event = 0; event < other.totals_.size(); ++event) {
    const EventTotals& from = other.totals_[event];
    EventTotals& to = totals(event);
    to.samples += from.samples;
    to.period += from.period;
    to.shown_samples += from.shown_samples;
    to.shown_period += from.shown_period;
    to.chain_period += from.chain_period;
    to.shown_chain_period += from.shown_chain_period;
  }
}

void Hists::merge(Hists&& other) {
  merge(std::as_const(other));
  other = Hists(other.groups_.stride(), other.frame_values_);
}

void Hists::freeze() {
  index_.release();
  chains_.freeze();
}

std::size_t Hists::memory_bytes() const {
  return frames_.memory_bytes() + chains_.memory_bytes() + entries_.capacity() * sizeof(HistEntry) +
         index_.memory_bytes();
}

}  // namespace peregrine
