#include "machine/process/address_space.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <iterator>
#include <set>
#include <utility>

#include "base/types.h"

namespace peregrine {
namespace {

// Look-ups scan the log linearly, and a new base costs its own size. This limit keeps both costs small for spaces of
// 10 and of a million maps.
std::size_t log_limit(std::size_t base_size) {
  constexpr double kRoot = 8;  // the square root is smaller from 16,384 maps on
  return 16 + std::min(base_size / 16, static_cast<std::size_t>(kRoot * std::sqrt(static_cast<double>(base_size))));
}

// Budget for bases: each change in any space allows some ranges, and the free amount covers a few spaces of many maps.
constexpr u64 kRangesPerChange = 64, kFreeRanges = u64{1} << 20;

// Stores `value` in a free slot, or appends it. Returns its index.
template <class List, class Value>
u32 store(List& list, std::vector<u32>& free, Value value) {
  if (free.empty()) {
    list.push_back(std::move(value));
    return static_cast<u32>(list.size() - 1);
  }
  const u32 place = free.back();
  free.pop_back();
  list[place] = std::move(value);
  return place;
}

std::vector<u32> unset(const std::vector<bool>& marks) {
  std::vector<u32> result;
  for (u32 i = 0; i < marks.size(); ++i)
    if (!marks[i]) result.push_back(i);
  return result;
}

}  // namespace

SpaceId AddressSpaces::create(Moment moment) { return add_space(Snapshot{.version = next_version_++, .from = moment}); }

SpaceId AddressSpaces::add_space(Snapshot snapshot) {
  ++bases_[snapshot.base].holders;
  Space space;
  space.snapshots.push_back(std::move(snapshot));
  return SpaceId(store(spaces_, free_spaces_, std::move(space)));
}

u32 AddressSpaces::add_map(const Map& map) {
  ++changes_;
  if (map.dso) {
    if (map.dso.value >= largest_.size()) largest_.resize(map.dso.value + 1);
    largest_[map.dso.value] = std::max(largest_[map.dso.value], map.end - map.start);
  }
  return store(maps_, free_maps_, map);
}

SpaceId AddressSpaces::fork(SpaceId parent, Moment moment) {
  // The child keeps the parent's version numbers: until either changes, equal numbers mean equal contents.
  Snapshot& last = spaces_[parent.value].snapshots.back();
  if (!last.log.empty()) {
    const std::size_t size = log_size(last);
    Inheritance inheritance{last.inherited, size, std::exchange(last.log, {})};
    last.inherited = store(inheritances_, free_inheritances_, std::move(inheritance));
  }
  Snapshot copy = last;
  copy.from = moment;
  return add_space(std::move(copy));
}

MapId AddressSpaces::insert(SpaceId space, const Map& map, Moment moment) { return add_change(space, map, moment); }

void AddressSpaces::remove(SpaceId space, u64 start, u64 end, Moment moment) {
  Map hole;
  hole.start = start;
  hole.end = end;
  add_change(space, hole, moment);
}

MapId AddressSpaces::add_change(SpaceId space, const Map& map, Moment moment) {
  const u32 id = add_map(map);
  auto& snapshots = spaces_[space.value].snapshots;
  if (is_worth_a_base(snapshots.back())) {
    Base base = flatten(snapshots.back());
    const Change* newest = newest_change(snapshots.back());
    add_snapshot(space, Snapshot{.version = newest->version, .from = newest->from}, std::move(base));
  }
  snapshots.back().log.push_back(Change{map.start, map.end, moment, next_version_++, id});
  return MapId(id);
}

bool AddressSpaces::is_worth_a_base(const Snapshot& snapshot) const {
  const std::size_t size = base_of(snapshot).size(), limit = log_limit(size), changes = log_size(snapshot);
  if (changes < limit) return false;
  // Otherwise thousands of children that inherit a long log would each build a base after their first change.
  return snapshot.log.size() >= limit / 2 ||
         base_ranges_ + size + changes <= kRangesPerChange * maps_.size() + kFreeRanges;
}

void AddressSpaces::add_snapshot(SpaceId space, Snapshot snapshot, Base base) {
  auto& snapshots = spaces_[space.value].snapshots;
  base_ranges_ += base.size();
  snapshot.base = store(bases_, free_bases_, HeldBase{std::move(base), 1});
  if (snapshots.size() == 1) grown_.push_back(space.value);
  snapshots.push_back(std::move(snapshot));
}

void AddressSpaces::release(u32 base) {
  HeldBase& held = bases_[base];
  if (--held.holders != 0) return;
  base_ranges_ -= held.ranges.size();
  held.ranges = {};
}

template <class Visit>
void AddressSpaces::newest_first(const Snapshot& snapshot, Visit visit) const {
  const auto show = [&](const std::vector<Change>& log) {
    for (auto change = log.rbegin(); change != log.rend(); ++change)
      if (!visit(*change)) return false;
    return true;
  };
  if (!show(snapshot.log)) return;
  for (u32 at = snapshot.inherited; at != 0; at = inheritances_[at].before)
    if (!show(inheritances_[at].log)) return;
}

const AddressSpaces::Change* AddressSpaces::newest_change(const Snapshot& snapshot) const {
  const Change* newest = nullptr;
  newest_first(snapshot, [&](const Change& change) {
    newest = &change;
    return false;
  });
  return newest;
}

void AddressSpaces::insert_all(SpaceId space, std::span<const Map> maps, Moment moment) {
  std::vector<Range> ranges = flatten(spaces_[space.value].snapshots.back());
  for (const Map& map : maps) {
    ranges.push_back(Range{map.start, map.end, add_map(map)});
  }
  add_snapshot(space, Snapshot{.version = next_version_++, .from = moment}, painted(ranges));
}

// Sweeps over the edges of the ranges with the set of ranges that cover the current address; the last range wins.
AddressSpaces::Base AddressSpaces::painted(std::span<const Range> ranges) {
  struct Edge {
    u64 at;
    u32 range;
    bool begins;
  };
  std::vector<Edge> edges;
  edges.reserve(ranges.size() * 2);
  for (u32 i = 0; i < ranges.size(); ++i) {
    if (ranges[i].start >= ranges[i].end) continue;
    edges.push_back({ranges[i].start, i, true});
    edges.push_back({ranges[i].end, i, false});
  }
  std::ranges::sort(edges, {}, &Edge::at);
  std::set<u32, std::greater<>> covering;
  Base result;
  for (std::size_t i = 0; i < edges.size();) {
    const u64 at = edges[i].at;
    for (; i < edges.size() && edges[i].at == at; ++i) {
      if (edges[i].begins) {
        covering.insert(edges[i].range);
      } else {
        covering.erase(edges[i].range);
      }
    }
    if (covering.empty() || i == edges.size()) continue;
    const u32 map = ranges[*covering.begin()].map;
    if (!result.empty() && result.back().map == map && result.back().end == at) {
      result.back().end = edges[i].at;
    } else {
      result.push_back(Range{at, edges[i].at, map});
    }
  }
  return result;
}

// Paints the log over the base: first newer changes over older ones, then the visible result over the base.
AddressSpaces::Base AddressSpaces::flatten(const Snapshot& snapshot, u64 start, u64 end) const {
  Base changed;
  newest_first(snapshot, [&](const Change& change) {
    if (change.start < end && change.end > start) changed.push_back(Range{change.start, change.end, change.map});
    return true;
  });
  std::ranges::reverse(changed);
  const Base above = painted(changed);
  Base below;
  auto first = above.begin();  // first range that ends after the current address
  const Base& base = base_of(snapshot);
  auto range = std::ranges::upper_bound(base, start, {}, &Range::end);
  for (; range != base.end() && range->start < end; ++range) {
    u64 place = range->start;
    while (first != above.end() && first->end <= place) ++first;
    for (auto over = first; over != above.end() && over->start < range->end; ++over) {
      if (over->start > place) below.push_back(Range{place, over->start, range->map});
      place = std::max(place, over->end);
    }
    if (place < range->end) below.push_back(Range{place, range->end, range->map});
  }
  Base result;
  result.reserve(below.size() + above.size());
  std::ranges::merge(below, above, std::back_inserter(result), {}, &Range::start, &Range::start);
  std::erase_if(result, [this](const Range& one) { return !maps_[one.map].dso; });
  return result;
}

SpaceVersion AddressSpaces::version(SpaceId space, Moment moment) const {
  if (!space) return SpaceVersion{0, space, kForever};
  const auto& snapshots = spaces_[space.value].snapshots;
  SpaceVersion found{0, space, kForever};
  for (std::size_t i = snapshots.size(); i-- > 0 && found.number == 0;) {
    const Snapshot& snapshot = snapshots[i];
    // Moments ascend in a log, so a binary search avoids visiting thousands of changes in one batch.
    const auto look = [&](const std::vector<Change>& log) {
      const auto later = std::ranges::upper_bound(log, moment, {}, &Change::from);
      if (later != log.end()) found.until = later->from;
      if (later != log.begin()) found.number = std::prev(later)->version;
    };
    look(snapshot.log);
    for (u32 at = snapshot.inherited; at != 0 && found.number == 0; at = inheritances_[at].before)
      look(inheritances_[at].log);
    if (found.number != 0) break;
    if (snapshot.from <= moment)
      found.number = snapshot.version;
    else
      found.until = snapshot.from;
  }
  return found;
}

AddressSpaces::Cover AddressSpaces::cover(SpaceId space, u32 version, u64 ip) const {
  Cover result;
  if (!space || version == 0) return result;
  // Returns true if the range covers `ip`. Either way, the answer is valid only up to the range's edges.
  const auto narrow = [&](u64 start, u64 end) {
    if (ip < start) {
      result.end = std::min(result.end, start);
    } else if (ip >= end) {
      result.start = std::max(result.start, end);
    } else {
      result.start = std::max(result.start, start);
      result.end = std::min(result.end, end);
      return true;
    }
    return false;
  };
  const auto& snapshots = spaces_[space.value].snapshots;
  std::size_t i = snapshots.size() - 1;
  while (i > 0 && snapshots[i].version > version) --i;
  const Snapshot& snapshot = snapshots[i];
  bool covered = false;
  newest_first(snapshot, [&](const Change& change) {
    covered = change.version <= version && narrow(change.start, change.end);
    if (covered && maps_[change.map].dso) result.map = MapId(change.map);
    return !covered;
  });
  if (covered) return result;
  const Base& base = base_of(snapshot);
  const auto found = std::upper_bound(base.begin(), base.end(), ip,
                                      [](u64 address, const Range& range) { return address < range.end; });
  if (found != base.begin()) narrow(std::prev(found)->start, std::prev(found)->end);
  if (found != base.end() && narrow(found->start, found->end)) result.map = MapId(found->map);
  return result;
}

bool AddressSpaces::is_in_place(SpaceId space, const Map& map) const {
  const Snapshot& snapshot = spaces_[space.value].snapshots.back();
  bool changed = false;
  newest_first(snapshot, [&](const Change& change) {
    changed = change.start < map.end && change.end > map.start;
    return !changed;
  });
  if (changed) return false;
  const Base& base = base_of(snapshot);
  const auto found = std::upper_bound(base.begin(), base.end(), map.start,
                                      [](u64 address, const Range& range) { return address < range.end; });
  if (found == base.end() || found->start != map.start || found->end != map.end) return false;
  const Map& there = maps_[found->map];
  return there.dso == map.dso && there.start == map.start && there.page_offset == map.page_offset;
}

std::vector<Map> AddressSpaces::newest(SpaceId space, u64 start, u64 end) const {
  std::vector<Map> result;
  if (!space) return result;
  for (const Range& range : flatten(spaces_[space.value].snapshots.back(), start, end)) {
    Map map = maps_[range.map];
    map.page_offset += range.start - map.start;
    map.start = range.start;
    map.end = range.end;
    result.push_back(map);
  }
  return result;
}

void AddressSpaces::forget_before(Moment moment) {
  for (const u32 index : grown_) {
    auto& snapshots = spaces_[index].snapshots;
    std::size_t first = snapshots.size() - 1;
    while (first > 0 && snapshots[first].from > moment) --first;
    for (std::size_t i = 0; i < first; ++i) release(snapshots[i].base);
    snapshots.erase(snapshots.begin(), snapshots.begin() + static_cast<std::ptrdiff_t>(first));
  }
  std::erase_if(grown_, [this](u32 index) { return spaces_[index].snapshots.size() == 1; });
}

void AddressSpaces::mark_dsos(std::vector<bool>& dsos) const {
  for (const Map& map : maps_) {
    if (!map.dso) continue;  // a hole, or freed
    if (map.dso.value >= dsos.size()) dsos.resize(map.dso.value + 1);
    dsos[map.dso.value] = true;
  }
}

void AddressSpaces::keep(const std::vector<bool>& kept) {
  for (const u32 index : unset(kept)) {
    for (const Snapshot& snapshot : spaces_[index].snapshots) release(snapshot.base);
    spaces_[index].snapshots = {};
  }
  std::erase_if(grown_, [this](u32 index) { return spaces_[index].snapshots.empty(); });
  free_spaces_ = unset(kept);

  std::vector<bool> maps(maps_.size()), inheritances(inheritances_.size());
  mark_maps(maps, inheritances);
  free_maps_ = unset(maps);
  for (const u32 index : free_maps_) maps_[index] = {};
  free_inheritances_ = unset(inheritances);
  for (const u32 index : free_inheritances_) inheritances_[index] = {};
  free_bases_.clear();
  for (u32 i = 1; i < bases_.size(); ++i)
    if (bases_[i].holders == 0) free_bases_.push_back(i);
  kept_maps_ = map_count();
  changes_ = 0;
}

void AddressSpaces::mark_maps(std::vector<bool>& maps, std::vector<bool>& inheritances) const {
  const auto mark = [&](const auto& changes) {
    for (const auto& change : changes) maps[change.map] = true;
  };
  inheritances[0] = true;
  for (const Space& space : spaces_) {
    for (const Snapshot& snapshot : space.snapshots) {
      mark(snapshot.log);
      for (u32 at = snapshot.inherited; !inheritances[at]; at = inheritances_[at].before) {
        inheritances[at] = true;
        mark(inheritances_[at].log);
      }
    }
  }
  for (const HeldBase& base : bases_) mark(base.ranges);
}

}  // namespace peregrine
