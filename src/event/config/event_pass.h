// Passes: splits an event list into parts that fit into the machine's counters, one per run of a command.
//
// Groups stay together, except that a weak group is split if it does not fit. Parts are filled greedily. Pure except
// for `fits`.
#pragma once
#include <cstddef>
#include <functional>
#include <vector>

#include "event/spec.h"

namespace peregrine {

// Indices into the list, ascending.
using EventPass = std::vector<std::size_t>;

// `fits`: whether these events can all count at the same time; called with lists from events_of_pass().
std::vector<EventPass> pack_passes(EventList& list, const std::function<bool(const EventList&)>& fits);

// The events of one pass as a separate list.
EventList events_of_pass(const EventList& list, const EventPass& pass);

// Splits a pass into two with about the same number of groups; returns it unchanged if it has only one group.
std::vector<EventPass> split_pass(const EventList& list, const EventPass& pass);

// Splits a group that does not fit into parts that do, keeping the order of members.
std::vector<EventPass> split_group(const EventList& list, std::size_t leader,
                                   const std::function<bool(const EventList&)>& fits);

}  // namespace peregrine
