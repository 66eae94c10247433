#include "machine/address_space.h"

#include <algorithm>
#include <functional>
#include <set>

namespace peregrine {
namespace {

// The log is scanned linearly, a new base costs its size: this keeps both small for spaces of 10 and of 10,000 maps.
std::size_t log_limit(std::size_t base_size) { return 16 + base_size / 16; }

}  // namespace

SpaceId AddressSpaces::create(Moment moment) {
  Space space;
  space.snapshots.push_back(Snapshot{0, next_version_++, moment, {}});
  spaces_.push_back(std::move(space));
  return SpaceId(static_cast<u32>(spaces_.size() - 1));
}

SpaceId AddressSpaces::fork(SpaceId parent, Moment moment) {
  // The child keeps the parent's version numbers: until one of them changes, equal numbers do mean equal contents.
  Snapshot copy = spaces_[parent.value].snapshots.back();
  copy.from = moment;
  spaces_.emplace_back();
  spaces_.back().snapshots.push_back(std::move(copy));
  return SpaceId(static_cast<u32>(spaces_.size() - 1));
}

MapId AddressSpaces::insert(SpaceId space, const Map& map, Moment moment) { return add_change(space, map, moment); }

void AddressSpaces::remove(SpaceId space, u64 start, u64 end, Moment moment) {
  Map hole;
  hole.start = start;
  hole.end = end;
  add_change(space, hole, moment);
}

MapId AddressSpaces::add_change(SpaceId space, const Map& map, Moment moment) {
  const auto id = static_cast<u32>(maps_.size());
  maps_.push_back(map);
  auto& snapshots = spaces_[space.value].snapshots;
  if (snapshots.back().log.size() >= log_limit(bases_[snapshots.back().base].size())) {
    Base base = flatten(snapshots.back());
    Snapshot next;
    next.version = snapshots.back().log.back().version;
    next.from = snapshots.back().log.back().from;
    add_snapshot(space, std::move(next), std::move(base));
  }
  snapshots.back().log.push_back(Change{map.start, map.end, moment, next_version_++, id});
  return MapId(id);
}

void AddressSpaces::add_snapshot(SpaceId space, Snapshot snapshot, Base base) {
  auto& snapshots = spaces_[space.value].snapshots;
  snapshot.base = static_cast<u32>(bases_.size());
  bases_.push_back(std::move(base));
  if (snapshots.size() == 1) grown_.push_back(space.value);
  snapshots.push_back(std::move(snapshot));
}

void AddressSpaces::insert_all(SpaceId space, std::span<const Map> maps, Moment moment) {
  std::vector<Range> ranges = flatten(spaces_[space.value].snapshots.back());
  for (const Map& map : maps) {
    ranges.push_back(Range{map.start, map.end, static_cast<u32>(maps_.size())});
    maps_.push_back(map);
  }
  add_snapshot(space, Snapshot{.version = next_version_++, .from = moment}, painted(ranges));
}

// Walks over the addresses where a range begins or ends, and keeps those that cover the place, the last in front.
AddressSpaces::Base AddressSpaces::painted(std::span<const Range> ranges) {
  struct Edge {
    u64 at;
    u32 range;
    bool begins;
  };
  std::vector<Edge> edges;
  edges.reserve(ranges.size() * 2);
  for (u32 i = 0; i < ranges.size(); ++i) {
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

// Paints the log over the base: each change cuts its range out of what is there and takes its place.
AddressSpaces::Base AddressSpaces::flatten(const Snapshot& snapshot) const {
  Base result = bases_[snapshot.base];
  for (const Change& change : snapshot.log) {
    auto first = std::lower_bound(result.begin(), result.end(), change.start,
                                  [](const Range& range, u64 start) { return range.end <= start; });
    auto last = first;
    Base pieces;
    for (; last != result.end() && last->start < change.end; ++last) {
      if (last->start < change.start) pieces.push_back(Range{last->start, change.start, last->map});
    }
    if (maps_[change.map].dso) pieces.push_back(Range{change.start, change.end, change.map});
    if (last != first && std::prev(last)->end > change.end) {
      pieces.push_back(Range{change.end, std::prev(last)->end, std::prev(last)->map});
    }
    const auto at = result.erase(first, last);
    result.insert(at, pieces.begin(), pieces.end());
  }
  return result;
}

SpaceVersion AddressSpaces::version(SpaceId space, Moment moment) const {
  if (!space) return SpaceVersion{0, space, kForever};
  const auto& snapshots = spaces_[space.value].snapshots;
  Moment until = kForever;
  for (std::size_t i = snapshots.size(); i-- > 0;) {
    const Snapshot& snapshot = snapshots[i];
    for (auto change = snapshot.log.rbegin(); change != snapshot.log.rend(); ++change) {
      if (change->from <= moment) return SpaceVersion{change->version, space, until};
      until = change->from;
    }
    if (snapshot.from <= moment) return SpaceVersion{snapshot.version, space, until};
    until = snapshot.from;
  }
  return SpaceVersion{0, space, until};
}

AddressSpaces::Cover AddressSpaces::cover(SpaceId space, u32 version, u64 ip) const {
  Cover result;
  if (!space || version == 0) return result;
  // True when the range covers `ip`; in either case the answer holds only up to its edges.
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
  for (auto change = snapshot.log.rbegin(); change != snapshot.log.rend(); ++change) {
    if (change->version > version || !narrow(change->start, change->end)) continue;
    if (maps_[change->map].dso) result.map = MapId(change->map);
    return result;
  }
  const Base& base = bases_[snapshot.base];
  const auto found = std::upper_bound(base.begin(), base.end(), ip,
                                      [](u64 address, const Range& range) { return address < range.end; });
  if (found != base.begin()) narrow(std::prev(found)->start, std::prev(found)->end);
  if (found != base.end() && narrow(found->start, found->end)) result.map = MapId(found->map);
  return result;
}

bool AddressSpaces::is_in_place(SpaceId space, const Map& map) const {
  const Snapshot& snapshot = spaces_[space.value].snapshots.back();
  for (const Change& change : snapshot.log) {
    if (change.start < map.end && change.end > map.start) return false;
  }
  const Base& base = bases_[snapshot.base];
  const auto found = std::upper_bound(base.begin(), base.end(), map.start,
                                      [](u64 address, const Range& range) { return address < range.end; });
  if (found == base.end() || found->start != map.start || found->end != map.end) return false;
  const Map& there = maps_[found->map];
  return there.dso == map.dso && there.start == map.start && there.page_offset == map.page_offset;
}

std::vector<Map> AddressSpaces::newest(SpaceId space) const {
  std::vector<Map> result;
  if (!space) return result;
  for (const Range& range : flatten(spaces_[space.value].snapshots.back())) {
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
    snapshots.erase(snapshots.begin(), snapshots.begin() + static_cast<std::ptrdiff_t>(first));
  }
  std::erase_if(grown_, [this](u32 index) { return spaces_[index].snapshots.size() == 1; });
}

}  // namespace peregrine
