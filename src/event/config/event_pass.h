// Passes: an event list cut into parts that fit into the counters of the machine, one for each run of a command.
//
// Groups stay whole; a weak one that fits nowhere is broken up first. Each part is filled as far as it goes before the
// next one is begun. Pure but for `fits`.
#pragma once
#include <functional>
#include <vector>

#include "event/spec.h"

namespace peregrine {

// Places in the list, ascending.
using EventPass = std::vector<std::size_t>;

// `fits`: can these events all count at the same time? Asked of lists that events_of_pass() makes.
std::vector<EventPass> pack_passes(EventList& list, const std::function<bool(const EventList&)>& fits);

// The events of one pass as a list of their own.
EventList events_of_pass(const EventList& list, const EventPass& pass);

// Two passes of about the same number of groups; one, the same, when there is only one group.
std::vector<EventPass> split_pass(const EventList& list, const EventPass& pass);

// A group that does not fit, cut into parts that do, its members in their order.
std::vector<EventPass> split_group(const EventList& list, std::size_t leader,
                                   const std::function<bool(const EventList&)>& fits);

}  // namespace peregrine
