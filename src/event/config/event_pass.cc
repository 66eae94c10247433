#include "event/config/event_pass.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace peregrine {

namespace {

// Splits a pass into groups: each leader with the events that are scheduled with it.
std::vector<EventPass> groups_of(const EventList& list, const EventPass& pass) {
  std::vector<EventPass> groups;
  for (const std::size_t event : pass) {
    if (groups.empty() || list[groups.back().front()].leader != list[event].leader) groups.emplace_back();
    groups.back().push_back(event);
  }
  return groups;
}

EventPass joined(EventPass pass, const EventPass& group) {
  pass.insert(pass.end(), group.begin(), group.end());
  std::ranges::sort(pass);
  return pass;
}

void break_hopeless_groups(EventList& list, const std::function<bool(const EventList&)>& fits) {
  for (std::size_t leader = 0; leader < list.size(); ++leader) {
    if (!is_leader(list, leader) || list[leader].group_size < 2 || !list[leader].weak_group) continue;
    EventPass group;
    for (std::size_t i = 0; i < list[leader].group_size; ++i) group.push_back(leader + i);
    if (!fits(events_of_pass(list, group))) break_group(list, leader);
  }
}

}  // namespace

EventList events_of_pass(const EventList& list, const EventPass& pass) {
  EventList events;
  for (const std::size_t event : pass) {
    EventSpec spec = list[event];
    const auto leader = std::ranges::find(pass, spec.leader);
    spec.leader = leader == pass.end() ? events.size() : static_cast<std::size_t>(leader - pass.begin());
    events.push_back(std::move(spec));
  }
  return events;
}

std::vector<EventPass> pack_passes(EventList& list, const std::function<bool(const EventList&)>& fits) {
  break_hopeless_groups(list, fits);
  EventPass all;
  for (std::size_t i = 0; i < list.size(); ++i) all.push_back(i);
  std::vector<EventPass> passes;
  for (const EventPass& group : groups_of(list, all)) {
    const auto room = std::ranges::find_if(
        passes, [&](const EventPass& pass) { return fits(events_of_pass(list, joined(pass, group))); });
    if (room != passes.end())
      *room = joined(std::move(*room), group);
    else
      passes.push_back(group);
  }
  return passes;
}

std::vector<EventPass> split_pass(const EventList& list, const EventPass& pass) {
  const std::vector<EventPass> groups = groups_of(list, pass);
  if (groups.size() < 2) return {pass};
  std::vector<EventPass> halves(2);
  for (std::size_t i = 0; i < groups.size(); ++i) {
    EventPass& half = halves[i < groups.size() / 2 ? 0 : 1];
    half = joined(std::move(half), groups[i]);
  }
  return halves;
}

std::vector<EventPass> split_group(const EventList& list, std::size_t leader,
                                   const std::function<bool(const EventList&)>& fits) {
  std::vector<EventPass> parts;
  for (std::size_t member = leader; member < leader + list[leader].group_size; ++member) {
    if (!parts.empty() && fits(events_of_pass(list, joined(parts.back(), {member}))))
      parts.back().push_back(member);
    else
      parts.push_back({member});
  }
  return parts;
}

}  // namespace peregrine
