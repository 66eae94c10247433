#include "machine/jit_code.h"

#include <algorithm>
#include <utility>

#include "base/types.h"
#include "machine/machine.h"
#include "machine/process/moment.h"

namespace peregrine {

u64 JitClock::recorded_time(const JitDump& dump, u64 time) const {
  if (!dump.times_are_cycles() || !cycles) return time;
  const Conversion& c = *cycles;
  if (c.mask != 0) time = c.cycles + ((time - c.cycles) & c.mask);
  const unsigned shift = static_cast<unsigned>(std::min<u64>(c.shift, 63));
  const u64 low = time & ((u64{1} << shift) - 1);
  return c.zero + (time >> shift) * c.multiplier + ((low * c.multiplier) >> shift);
}

u64 JitCode::Feed::next_time() const {
  const auto& placements = dump->placements();
  return next < placements.size() ? clock.recorded_time(*dump, placements[next].time) : ~u64{0};
}

const JitDump* JitCode::find(DsoId dso) const {
  const auto found = dumps_.find(dso.value);
  return found == dumps_.end() ? nullptr : found->second.get();
}

const JitDump& JitCode::add(DsoId dso, JitDump dump) {
  auto& held = dumps_[dso.value];
  held = std::make_unique<JitDump>(std::move(dump));
  return *held;
}

Map JitCode::map_of(const Feed& feed, const JitPlacement& placement) {
  Map map;
  map.start = placement.address;
  map.end = placement.address + placement.size;
  map.page_offset = feed.dump->loads()[placement.load].code_at;
  map.dso = feed.dso;
  map.protection = MapProtection::Read | MapProtection::Exec;
  return map;
}

void JitCode::begin(SpaceId space, DsoId dso, const JitClock& clock, AddressSpaces& spaces, Moment moment) {
  const auto known = [&](const Feed& feed) { return feed.space == space && feed.dso == dso; };
  const JitDump* dump = find(dso);
  if (dump == nullptr || std::ranges::any_of(feeds_, known)) return;
  Feed& feed = feeds_.emplace_back(Feed{space, dso, dump, 0, clock});
  std::vector<Map> maps;
  for (const JitPlacement& placement : dump->placements()) {
    if (placement.size != 0) maps.push_back(map_of(feed, placement));
  }
  if (clock.compares(*dump)) {
    std::ranges::reverse(maps);  // later maps cover earlier ones; the first owner must win
  } else {
    feed.next = dump->placements().size();
  }
  spaces.insert_all(space, maps, moment);
  find_next();
}

void JitCode::end(SpaceId space) {
  for (Feed& feed : feeds_) {
    if (feed.space == space) feed.next = feed.dump->placements().size();
  }
  find_next();
}

void JitCode::keep(const std::vector<bool>& kept) {
  std::erase_if(feeds_, [&](const Feed& feed) { return !kept[feed.space.value]; });
  find_next();
}

void JitCode::find_next() {
  next_time_ = ~u64{0};
  for (const Feed& feed : feeds_) next_time_ = std::min(next_time_, feed.next_time());
}

void JitCode::apply_until(u64 time, AddressSpaces& spaces, Moment moment) {
  if (time < next_time_) return;
  for (Feed& feed : feeds_) {
    const auto& placements = feed.dump->placements();
    for (; feed.next < placements.size() && feed.next_time() <= time; ++feed.next) {
      if (placements[feed.next].size == 0) continue;
      const Map map = map_of(feed, placements[feed.next]);
      if (!spaces.is_in_place(feed.space, map)) spaces.insert(feed.space, map, moment);
    }
  }
  find_next();
}

}  // namespace peregrine
