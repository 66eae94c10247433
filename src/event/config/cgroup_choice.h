// Control groups given by -G and --for-each-cgroup of record and stat: paths below the hierarchy's mount, which
// must exist.
#pragma once
#include <cstddef>
#include <string_view>

#include "base/result.h"
#include "event/spec.h"
#include "sys/root.h"

namespace peregrine {

// -G: assigns the next names to the next events, like bind_cgroups. Errors (Usage): also a group that does not exist.
Result<> bind_checked_cgroups(const Root& root, std::string_view names, std::size_t& given, EventList& events);
void unbind_cgroups(EventList& events);

// --for-each-cgroup: repeats every event for each group; names, or regular expressions that match any group. Errors
// (Usage): nothing matches, or a group does not exist.
Result<> expand_checked_cgroups(const Root& root, std::string_view words, EventList& events);

}  // namespace peregrine
