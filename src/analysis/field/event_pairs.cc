#include "analysis/field/event_pairs.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

#include "analysis/field/field_tally.h"
#include "base/types.h"
#include "machine/resolver/resolver.h"
#include "pipeline/replay/replay.h"

namespace peregrine {

namespace {

// Nearest-rank percentile.
u64 percentile(const std::vector<u64>& sorted, unsigned percent) {
  const std::size_t rank = (sorted.size() * percent + 99) / 100;
  return sorted[std::max<std::size_t>(rank, 1) - 1];
}

}  // namespace

void EventPairs::sample(const ReplaySample& sample, Resolver& resolver, unsigned) {
  const bool starts = sample.event == request_.start, ends = sample.event == request_.end;
  if (!starts && !ends) return;
  key_.clear();
  if (!append_fields(key_, request_.keys, sample, resolver)) {
    ++keyless_;
    return;
  }
  // If an event is both start and end, it first closes the previous pair.
  if (const auto found = ends ? open_.find(key_) : open_.end(); found != open_.end()) {
    const u64 from = found->second.time;
    const u64 took = sample.sample.time > from ? sample.sample.time - from : 0;
    times_[found->second.group].push_back(took);
    if (request_.points) points_.push_back({sample.sample.time, took});
    open_.erase(found);
  } else if (ends && !starts) {
    ++unstarted_;
  }
  if (!starts) return;
  Start start{sample.sample.time, {}};
  if (!append_fields(start.group, request_.group_by, sample, resolver)) {
    ++keyless_;
    return;
  }
  const auto [at, fresh] = open_.try_emplace(key_);
  if (!fresh) ++replaced_;
  at->second = std::move(start);
}

std::vector<PairRow> EventPairs::rows() const {
  std::vector<PairRow> rows;
  for (const auto& [group, times] : times_) {
    std::vector<u64> sorted = times;
    std::sort(sorted.begin(), sorted.end());
    rows.push_back({.group = group,
                    .pairs = sorted.size(),
                    .total = std::accumulate(sorted.begin(), sorted.end(), u64{0}),
                    .least = sorted.front(),
                    .most = sorted.back(),
                    .half = percentile(sorted, 50),
                    .most_95 = percentile(sorted, 95),
                    .most_99 = percentile(sorted, 99)});
  }
  std::sort(rows.begin(), rows.end(), [](const PairRow& a, const PairRow& b) {
    return a.total != b.total ? a.total > b.total : a.group < b.group;
  });
  return rows;
}

CountedValues EventPairs::counted() const {
  CountedValues counted;
  for (const auto& [group, times] : times_)
    for (const u64 time : times) counted.add(time);
  return counted;
}

}  // namespace peregrine
