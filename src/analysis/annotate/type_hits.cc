#include "analysis/annotate/type_hits.h"

#include <algorithm>
#include <map>

namespace peregrine {

u64 RecordedTypeHits::samples() const {
  u64 sum = 0;
  for (const Hits& hits : totals) sum += hits.samples;
  return sum;
}

std::vector<u32> RecordedTypeHits::hottest(std::span<const u32> events) const {
  std::vector<u32> order;
  for (u32 i = 0; i < types.size(); ++i) {
    const auto is_hit = [&](u32 event) { return types[i].events[event].total.samples != 0; };
    if (types[i].type && std::ranges::any_of(events, is_hit)) order.push_back(i);
  }
  std::ranges::sort(order, [&](u32 left, u32 right) {
    const TypeHits& a = types[left];
    const TypeHits& b = types[right];
    for (const u32 event : events) {
      const u64 first = a.events[event].total.period, second = b.events[event].total.period;
      if (first != second) return first > second;
    }
    return a.name != b.name ? a.name < b.name : a.size < b.size;
  });
  return order;
}

bool TypeHitCollector::refused(const Frame& frame, const Resolver& resolver) const {
  if (dsos_.empty()) return false;
  if (!frame.dso) return true;
  const Dso& dso = resolver.machine().dsos().at(frame.dso);
  return !dsos_.contains(dso.short_name) && !dsos_.contains(dso.name);
}

void TypeHitCollector::sample(const ReplaySample& sample, Resolver& resolver, unsigned worker_index) {
  Worker& worker = workers_[worker_index];
  const FrameId frame = resolver.frame(sample.context, sample.sample.ip, sample.sample.cpumode());
  if (refused(resolver.at(frame), resolver)) return;
  const u32 type = worker.types.find(table_, resolver, frame).id.value;
  if (sample.event >= worker.counts.size()) worker.counts.resize(sample.event + 1);
  std::vector<Hits>& counts = worker.counts[sample.event];
  if (type >= counts.size()) counts.resize(type + 1);
  counts[type] += {1, sample.period};
}

RecordedTypeHits TypeHitCollector::hits(std::size_t events) const {
  RecordedTypeHits result;
  for (const Worker& worker : workers_) events = std::max(events, worker.counts.size());
  result.totals.resize(events);
  // Of all workers, by type: sums at each offset, ascending.
  std::map<std::pair<std::string, u64>, u32> known;
  std::map<std::tuple<u32, std::size_t, u64>, Hits> sums;
  for (const Worker& worker : workers_) {
    for (std::size_t event = 0; event < worker.counts.size(); ++event) {
      for (u32 id = 0; id < worker.counts[event].size(); ++id) {
        const Hits& hits = worker.counts[event][id];
        if (hits.samples == 0) continue;
        const ShownDataType& shown = table_.at(DataTypeId(id));
        result.totals[event] += hits;
        result.unknown[static_cast<std::size_t>(shown.why)] += hits.samples;
        const auto [at, fresh] = known.try_emplace({shown.name, shown.size}, static_cast<u32>(result.types.size()));
        if (fresh) result.types.push_back({shown.name, shown.size, shown.type, std::vector<EventHits>(events)});
        result.types[at->second].events[event].total += hits;
        sums[{at->second, event, shown.offset}] += hits;
      }
    }
  }
  result.unknown[0] = 0;
  for (const auto& [place, hits] : sums)
    result.types[std::get<0>(place)].events[std::get<1>(place)].offsets.push_back({std::get<2>(place), hits});
  return result;
}

}  // namespace peregrine
