#include "analysis/annotate/hit_collector.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "analysis/annotate/code_run.h"
#include "analysis/annotate/run_counter.h"
#include "analysis/step_clock.h"
#include "base/container/block_list.h"
#include "base/nearest.h"
#include "base/types.h"
#include "machine/dso/dso.h"
#include "machine/process/moment.h"
#include "machine/resolver/resolver.h"
#include "symbol/table/symbol_table.h"

namespace peregrine {

namespace {

// Several workers may have hit the same offset.
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

// Replaces `near` by `name` if that is nearer to `word`; of equally near ones, the first in the alphabet.
void keep_nearer(std::string& near, std::string_view name, std::string_view word) {
  if (name == near || name.empty()) return;
  const std::string_view before = std::min<std::string_view>(near, name),
                         after = std::max<std::string_view>(near, name);
  const std::array<std::string_view, 2> names{before, after};
  if (const auto best = nearest(word, names)) near = std::string(*best);
}

u64 key_of(DsoId dso, SymbolIndex symbol) { return u64{dso.value} << 32 | symbol.value; }

}  // namespace

bool is_chosen(const Frame& frame, const DsoTable& dsos, const std::unordered_set<std::string>& names) {
  if (names.empty()) return true;
  if (!frame.dso) return false;
  const Dso& dso = dsos.at(frame.dso);
  return names.contains(dso.short_name) || names.contains(dso.name);
}

// The symbol that contains a frame, and the frame's offset in it.
struct HitCollector::Place {
  enum class Kind : u8 { Refused, Nameless, Symbol };
  Kind kind = Kind::Refused;
  DsoId dso;
  SymbolIndex symbol;
  u64 offset = 0;
};

// Hits of one event. Adjacent hits are merged in a small cache; the list is compacted when it reaches `limit`.
struct HitCollector::StepList {
  struct Item {
    u64 step = 0, period = 0;
    u32 frame = 0, samples = 0;
    bool same_place(const Item& other) const { return frame == other.frame && step == other.step; }
    void join(const Item& other) {
      samples += other.samples;
      period += other.period;
    }
  };
  std::array<Item, 512> recent = {};  // by frame, because hot frames are hit again within a step
  BlockList<Item> items;
  std::size_t limit = std::size_t{1} << 22;

  void add(const Item& item) {
    Item& last = recent[item.frame % recent.size()];
    if (last.same_place(item)) return last.join(item);
    if (last.samples != 0) keep(last);
    last = item;
  }
  void keep(const Item& item) {
    if (items.size() >= limit) join();
    items.push_back(item);
  }
  void join() {
    std::vector<Item> all;
    all.reserve(items.size());
    items.each([&](const Item& item) { all.push_back(item); });
    std::ranges::sort(all, {}, [](const Item& item) { return std::tuple(item.frame, item.step); });
    items.clear();
    for (std::size_t at = 0, next = 0; at < all.size(); at = next) {
      for (next = at + 1; next < all.size() && all[next].same_place(all[at]); ++next) all[at].join(all[next]);
      items.push_back(all[at]);
    }
    limit = std::max(limit, 2 * items.size());
  }
  std::size_t size() const { return items.size() + recent.size(); }
  // May visit several items with the same frame and step.
  template <class Use>
  void each(Use use) const {
    items.each(use);
    for (const Item& item : recent)
      if (item.samples != 0) use(item);
  }
};

struct HitCollector::Worker {
  explicit Worker(u64 step) : clock(step) {}

  std::vector<bool> met;                  // by frame; a bit each, to stay in the CPU caches
  std::vector<Place> places;              // by frame; valid where `met`
  std::vector<std::vector<Hits>> counts;  // by event, then frame; only without a step
  std::vector<StepList> steps;            // by event; only with a step
  StepClock clock;
  RunCounter runs;
  std::string near_name;  // among the symbols that were not requested, the one nearest to the requested one

  std::vector<std::vector<Hits>> sums() const {
    std::vector<std::vector<Hits>> result = counts;
    result.resize(std::max(counts.size(), steps.size()));
    for (std::size_t event = 0; event < steps.size(); ++event) {
      result[event].resize(places.size());
      steps[event].each([&](const StepList::Item& item) { result[event][item.frame] += {item.samples, item.period}; });
    }
    return result;
  }
};

HitCollector::HitCollector(HitRequest request) : request_(std::move(request)) {}
HitCollector::~HitCollector() = default;

void HitCollector::begin(unsigned workers) {
  while (workers_.size() < workers) workers_.push_back(std::make_unique<Worker>(request_.step));
}

HitCollector::Place HitCollector::place_of(const Frame& frame, Resolver& resolver) const {
  Place place{.kind = Place::Kind::Refused};
  if (!is_chosen(frame, resolver.machine().dsos(), request_.dsos)) return place;
  if (!request_.symbol.empty() && (!frame.symbol || resolver.symbol_name(frame) != request_.symbol)) return place;
  place.kind = Place::Kind::Nameless;
  if (!frame.symbol) return place;
  return {Place::Kind::Symbol, frame.dso, frame.symbol, resolver.symbol_offset(frame)};
}

void HitCollector::sample(const ReplaySample& sample, Resolver& resolver, unsigned worker_index) {
  Worker& worker = *workers_[worker_index];
  const FrameId id = resolver.frame(sample.context, sample.sample.ip, sample.sample.cpumode());
  if (id.value >= worker.met.size()) {
    worker.met.resize(std::max<std::size_t>(resolver.frame_count(), id.value + 1));
    worker.places.resize(worker.met.size());
  }
  if (!worker.met[id.value]) {
    worker.met[id.value] = true;
    const Frame& frame = resolver.at(id);
    worker.places[id.value] = place_of(frame, resolver);
    if (worker.places[id.value].kind == Place::Kind::Refused && !request_.symbol.empty() && frame.symbol)
      keep_nearer(worker.near_name, resolver.symbol_name(frame), request_.symbol);
  }
  const bool chooses = !request_.dsos.empty() || !request_.symbol.empty();
  if (chooses && worker.places[id.value].kind == Place::Kind::Refused) return;
  if (request_.runs) worker.runs.add(sample, resolver);
  if (request_.step != 0) {
    if (sample.event >= worker.steps.size()) worker.steps.resize(sample.event + 1);
    const u64 step = worker.clock.step_of(sample.sample.time);
    return worker.steps[sample.event].add({.step = step, .period = sample.period, .frame = id.value, .samples = 1});
  }
  if (sample.event >= worker.counts.size()) worker.counts.resize(sample.event + 1);
  std::vector<Hits>& counts = worker.counts[sample.event];
  if (id.value >= counts.size()) counts.resize(worker.places.size());
  counts[id.value] += {1, sample.period};
}

TimedHits HitCollector::by_time(const RecordedHits& hits, std::span<const u32> symbols) const {
  constexpr u32 kNone = ~0u;
  std::unordered_map<u64, u32> wanted;
  for (const u32 symbol : symbols)
    wanted.emplace(key_of(hits.symbols[symbol].dso, hits.symbols[symbol].symbol), symbol);
  TimedHits result;
  for (const auto& worker : workers_) {
    std::vector<u32> place_of_frame(worker->places.size(), kNone);
    for (std::size_t frame = 0; frame < place_of_frame.size(); ++frame) {
      const Place& place = worker->places[frame];
      if (place.kind != Place::Kind::Symbol) continue;
      const auto at = wanted.find(key_of(place.dso, place.symbol));
      if (at == wanted.end()) continue;
      place_of_frame[frame] = static_cast<u32>(result.places.size());
      result.places.push_back({at->second, place.offset});
    }
    for (u32 event = 0; event < worker->steps.size(); ++event) {
      result.steps.reserve(result.steps.size() + worker->steps[event].size());
      worker->steps[event].each([&](const StepList::Item& item) {
        if (const u32 place = place_of_frame[item.frame]; place != kNone)
          result.steps.push_back({place, event, item.step, {item.samples, item.period}});
      });
    }
  }
  return result;
}

std::optional<std::string> HitCollector::nearest_symbol() const {
  std::string near;
  for (const auto& worker : workers_) keep_nearer(near, worker->near_name, request_.symbol);
  return near.empty() ? std::nullopt : std::optional(near);
}

void HitCollector::forget_frames(const std::function<bool(DsoId)>& wanted) {
  RecordedHits kept = hits(0);
  std::erase_if(kept.symbols, [&](const SymbolHits& hits) { return !wanted(hits.dso); });
  kept_ = std::move(kept);
  const auto count = static_cast<unsigned>(workers_.size());
  workers_.clear();
  begin(count);
}

RecordedHits HitCollector::hits(std::size_t events) const {
  RecordedHits result = kept_;
  events = std::max(events, kept_.totals.size());
  for (const auto& worker : workers_) events = std::max({events, worker->counts.size(), worker->steps.size()});
  result.totals.resize(events);
  std::unordered_map<u64, u32> symbols;
  for (SymbolHits& kept : result.symbols) {
    kept.events.resize(events);
    symbols.emplace(key_of(kept.dso, kept.symbol), static_cast<u32>(symbols.size()));
  }
  for (const auto& worker : workers_) {
    const std::vector<std::vector<Hits>> sums = worker->sums();
    for (std::size_t event = 0; event < sums.size(); ++event) {
      const std::vector<Hits>& counts = sums[event];
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
