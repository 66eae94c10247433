#include "analysis/annotate/hit_collector.h"

#include <algorithm>
#include <unordered_map>

namespace peregrine {

namespace {

// Workers met the same places.
void merge_equal_offsets(std::vector<OffsetHits>& offsets) {
  std::ranges::sort(offsets, {}, &OffsetHits::offset);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    if (kept != 0 && offsets[kept - 1].offset == offsets[i].offset)
      offsets[kept - 1].hits += offsets[i].hits;
    else
      offsets[kept++] = offsets[i];
  }
  offsets.resize(kept);
}

}  // namespace

// Where in which symbol a frame lies.
struct HitCollector::Place {
  enum class Kind : u8 { Unknown, Refused, Nameless, Symbol };
  Kind kind = Kind::Unknown;
  DsoId dso;
  SymbolIndex symbol;
  u64 offset = 0;
};

struct HitCollector::Worker {
  std::vector<Place> places;              // by frame
  std::vector<std::vector<Hits>> counts;  // by event, then frame
};

HitCollector::HitCollector(HitRequest request) : request_(std::move(request)) {}
HitCollector::~HitCollector() = default;

void HitCollector::begin(unsigned workers) {
  while (workers_.size() < workers) workers_.push_back(std::make_unique<Worker>());
}

HitCollector::Place HitCollector::place_of(const Frame& frame, Resolver& resolver) const {
  Place place{.kind = Place::Kind::Refused};
  if (!request_.dsos.empty()) {
    if (!frame.dso) return place;
    const Dso& dso = resolver.machine().dsos().at(frame.dso);
    if (!request_.dsos.contains(dso.short_name) && !request_.dsos.contains(dso.name)) return place;
  }
  if (!request_.symbol.empty() && (!frame.symbol || resolver.symbol_name(frame) != request_.symbol)) return place;
  place.kind = Place::Kind::Nameless;
  if (!frame.symbol) return place;
  return {Place::Kind::Symbol, frame.dso, frame.symbol, resolver.symbol_offset(frame)};
}

void HitCollector::sample(const ReplaySample& sample, Resolver& resolver, unsigned worker_index) {
  Worker& worker = *workers_[worker_index];
  const FrameId id = resolver.frame(sample.context, sample.sample.ip, sample.sample.cpumode());
  if (id.value >= worker.places.size())
    worker.places.resize(std::max<std::size_t>(resolver.frame_count(), id.value + 1));
  Place& place = worker.places[id.value];
  if (place.kind == Place::Kind::Unknown) place = place_of(resolver.at(id), resolver);
  if (place.kind == Place::Kind::Refused) return;
  if (sample.event >= worker.counts.size()) worker.counts.resize(sample.event + 1);
  std::vector<Hits>& counts = worker.counts[sample.event];
  if (id.value >= counts.size()) counts.resize(worker.places.size());
  counts[id.value] += {1, sample.period};
}

RecordedHits HitCollector::hits(std::size_t events) const {
  RecordedHits result;
  for (const auto& worker : workers_) events = std::max(events, worker->counts.size());
  result.totals.resize(events);
  std::unordered_map<u64, u32> symbols;
  for (const auto& worker : workers_) {
    for (std::size_t event = 0; event < worker->counts.size(); ++event) {
      const std::vector<Hits>& counts = worker->counts[event];
      for (std::size_t frame = 0; frame < counts.size(); ++frame) {
        if (counts[frame].samples == 0) continue;
        result.totals[event] += counts[frame];
        const Place& place = worker->places[frame];
        if (place.kind != Place::Kind::Symbol) continue;
        const auto [at, fresh] = symbols.try_emplace(u64{place.dso.value} << 32 | place.symbol.value,
                                                     static_cast<u32>(result.symbols.size()));
        if (fresh) result.symbols.push_back({place.dso, place.symbol, std::vector<EventHits>(events)});
        EventHits& hits = result.symbols[at->second].events[event];
        hits.total += counts[frame];
        hits.offsets.push_back({place.offset, counts[frame]});
      }
    }
  }
  for (SymbolHits& symbol : result.symbols)
    for (EventHits& hits : symbol.events) merge_equal_offsets(hits.offsets);
  return result;
}

}  // namespace peregrine
