#include "analysis/timeline/open_slices.h"

#include <algorithm>
#include <cstddef>
#include <tuple>

#include "analysis/flat_index.h"
#include "analysis/forget_older_half.h"

namespace peregrine {

namespace {

// Slices without an end must not pile up: requests with lost completions, calls of made-up tasks.
constexpr std::size_t kMostOpenSlices = 1U << 15;  // of each kind

}  // namespace

std::size_t OpenSlices::KeyHash::operator()(const Key& key) const { return mix_bits(key.owner ^ mix_bits(key.key)); }

void OpenSlices::start(u64 time, SliceKind kind, u32 owner, u32 name, u64 key) {
  OpenOfKind& open = open_of(kind);
  if (open.size() >= kMostOpenSlices)
    dropped_ += forget_older_half(open, [](const auto& one) { return one.second.slice.start; });
  open[{owner, key}] = {{.start = time, .kind = kind, .owner = owner, .name = name}, time};
}

void OpenSlices::end(u64 time, SliceKind kind, u32 owner, u64 key) {
  OpenOfKind& open = open_of(kind);
  const auto found = open.find({owner, key});
  if (found == open.end()) return;
  sum(time, found->second);
  LaneSlice& slice = found->second.slice;
  slice.length = time > slice.start ? time - slice.start : 0;
  rows_.push_back(slice);
  open.erase(found);
}

void OpenSlices::sum(u64 time, Open& open) {
  const u64 from = std::max(open.slice.start, open.summed);
  open.summed = std::max(time, from);
  if (open.slice.kind == SliceKind::Call) return;
  const SumKind kind = open.slice.kind == SliceKind::Request ? SumKind::DeviceBusy : SumKind::CpuInterrupts;
  overview_.add_time(kind, open.slice.owner, from, time);
}

std::optional<u32> OpenSlices::open_name(SliceKind kind, u32 owner) const {
  const OpenOfKind& open = open_[static_cast<std::size_t>(kind)];
  const auto found = open.find({owner, 0});
  if (found == open.end()) return std::nullopt;
  return found->second.slice.name;
}

void OpenSlices::cut(u64 time) {
  const auto closed = static_cast<std::ptrdiff_t>(rows_.size());
  for (OpenOfKind& of_kind : open_) {
    for (auto& [key, open] : of_kind) {
      if (open.slice.start >= time) continue;
      sum(time, open);
      rows_.push_back(open.slice);
      rows_.back().length = time - open.slice.start;
      rows_.back().open = true;
    }
  }
  // In the order of a hash table they would differ between runs.
  std::ranges::sort(rows_.begin() + closed, rows_.end(), {},
                    [](const LaneSlice& row) { return std::tuple(row.start, row.owner, row.kind, row.name); });
}

}  // namespace peregrine
