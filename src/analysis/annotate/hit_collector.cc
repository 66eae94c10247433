#include "analysis/annotate/hit_collector.h"

#include <algorithm>
#include <optional>
#include <tuple>
#include <unordered_map>

#include "analysis/annotate/run_counter.h"

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

u64 key_of(DsoId dso, SymbolIndex symbol) { return u64{dso.value} << 32 | symbol.value; }

}  // namespace

// Where in which symbol a frame lies.
struct HitCollector::Place {
  enum class Kind : u8 { Unknown, Refused, Nameless, Symbol };
  Kind kind = Kind::Unknown;
  DsoId dso;
  SymbolIndex symbol;
  u64 offset = 0;
};

// Of one event.
struct HitCollector::StepList {
  struct Item {
    u64 step = 0, period = 0;
    u32 frame = 0, samples = 0;
    bool same_place(const Item& other) const { return frame == other.frame && step == other.step; }
  };
  std::vector<Item> items;
  std::size_t limit = std::size_t{1} << 22;

  void add(const Item& item) {
    if (items.size() >= limit) join();
    items.push_back(item);
  }
  void join() {
    std::ranges::sort(items, {}, [](const Item& item) { return std::tuple(item.frame, item.step); });
    std::size_t kept = 0;
    for (std::size_t at = 1; at < items.size(); ++at) {
      if (items[kept].same_place(items[at])) {
        items[kept].samples += items[at].samples;
        items[kept].period += items[at].period;
      } else {
        items[++kept] = items[at];
      }
    }
    items.resize(kept + 1);
    limit = std::max(limit, 2 * items.size());
  }
};

struct HitCollector::Worker {
  std::vector<Place> places;              // by frame
  std::vector<std::vector<Hits>> counts;  // by event, then frame
  std::vector<StepList> steps;            // by event
  RunCounter runs;
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
  if (request_.runs) worker.runs.add(sample, resolver);
  if (sample.event >= worker.counts.size()) worker.counts.resize(sample.event + 1);
  std::vector<Hits>& counts = worker.counts[sample.event];
  if (id.value >= counts.size()) counts.resize(worker.places.size());
  counts[id.value] += {1, sample.period};
  if (request_.step == 0 || place.kind != Place::Kind::Symbol) return;
  if (sample.event >= worker.steps.size()) worker.steps.resize(sample.event + 1);
  worker.steps[sample.event].add(
      {.step = sample.sample.time / request_.step, .period = sample.period, .frame = id.value, .samples = 1});
}

std::vector<StepHits> HitCollector::by_time(const RecordedHits& hits, std::span<const u32> symbols) const {
  std::unordered_map<u64, u32> wanted;
  for (const u32 symbol : symbols)
    wanted.emplace(key_of(hits.symbols[symbol].dso, hits.symbols[symbol].symbol), symbol);
  std::vector<StepHits> result;
  for (const auto& worker : workers_) {
    std::vector<std::optional<u32>> symbol_of_frame(worker->places.size());
    for (std::size_t frame = 0; frame < symbol_of_frame.size(); ++frame) {
      const Place& place = worker->places[frame];
      if (place.kind != Place::Kind::Symbol) continue;
      if (const auto at = wanted.find(key_of(place.dso, place.symbol)); at != wanted.end())
        symbol_of_frame[frame] = at->second;
    }
    for (u32 event = 0; event < worker->steps.size(); ++event)
      for (const StepList::Item& item : worker->steps[event].items)
        if (const auto symbol = symbol_of_frame[item.frame])
          result.push_back({*symbol, event, worker->places[item.frame].offset, item.step, {item.samples, item.period}});
  }
  return result;
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
        const auto [at, fresh] =
            symbols.try_emplace(key_of(place.dso, place.symbol), static_cast<u32>(result.symbols.size()));
        if (fresh) result.symbols.push_back({place.dso, place.symbol, std::vector<EventHits>(events)});
        EventHits& hits = result.symbols[at->second].events[event];
        hits.total += counts[frame];
        hits.offsets.push_back({place.offset, counts[frame]});
      }
    }
  }
  for (const auto& worker : workers_)
    for (const auto& [ends, found] : worker->runs.found())
      if (const auto at = symbols.find(key_of(found.dso, found.symbol)); at != symbols.end())
        result.symbols[at->second].runs.push_back(found.run);
  for (SymbolHits& symbol : result.symbols) {
    for (EventHits& hits : symbol.events) merge_equal_offsets(hits.offsets);
    join_equal_runs(symbol.runs);
  }
  return result;
}

}  // namespace peregrine
