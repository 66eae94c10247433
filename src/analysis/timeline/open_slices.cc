#include "analysis/timeline/open_slices.h"

#include <algorithm>
#include <cstddef>

#include "analysis/flat_index.h"

namespace peregrine {

namespace {

// Requests whose completion was lost must not pile up.
constexpr std::size_t kMostOpenSlices = 1U << 14;

}  // namespace

std::size_t OpenSlices::KeyHash::operator()(const Key& key) const { return mix_bits(key.owner ^ mix_bits(key.key)); }

void OpenSlices::start(u64 time, SliceKind kind, u32 owner, u32 name, u64 key) {
  if (open_.size() >= kMostOpenSlices) open_.clear();
  open_[key_of(kind, owner, key)] = {{.start = time, .kind = kind, .owner = owner, .name = name}, time};
}

void OpenSlices::end(u64 time, SliceKind kind, u32 owner, u64 key) {
  const auto found = open_.find(key_of(kind, owner, key));
  if (found == open_.end()) return;
  sum(time, found->second);
  LaneSlice& slice = found->second.slice;
  slice.length = time > slice.start ? time - slice.start : 0;
  rows_.push_back(slice);
  open_.erase(found);
}

void OpenSlices::sum(u64 time, Open& open) {
  const u64 from = std::max(open.slice.start, open.summed);
  open.summed = std::max(time, from);
  if (open.slice.kind == SliceKind::Call) return;
  const SumKind kind = open.slice.kind == SliceKind::Request ? SumKind::DeviceBusy : SumKind::CpuInterrupts;
  overview_.add_time(kind, open.slice.owner, from, time);
}

std::optional<u32> OpenSlices::open_name(SliceKind kind, u32 owner) const {
  const auto found = open_.find(key_of(kind, owner, 0));
  if (found == open_.end()) return std::nullopt;
  return found->second.slice.name;
}

void OpenSlices::cut(u64 time) {
  const auto closed = static_cast<std::ptrdiff_t>(rows_.size());
  for (auto& [key, open] : open_) {
    if (open.slice.start >= time) continue;
    sum(time, open);
    rows_.push_back(open.slice);
    rows_.back().length = time - open.slice.start;
    rows_.back().open = true;
  }
  // In the order of a hash table they would differ between runs.
  std::ranges::sort(rows_.begin() + closed, rows_.end(), {},
                    [](const LaneSlice& row) { return std::pair(row.start, row.owner); });
}

}  // namespace peregrine
