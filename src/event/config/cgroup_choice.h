// Control groups as -G and --for-each-cgroup of record and stat name them: paths below the hierarchy's mount, which
// must be there.
#pragma once
#include <cstddef>
#include <string_view>

#include "base/result.h"
#include "event/spec.h"
#include "sys/root.h"

namespace peregrine {

// -G: the next names to the next events, as bind_cgroups. Errors (Usage): also a group that is not there.
Result<> bind_checked_cgroups(const Root& root, std::string_view names, std::size_t& given, EventList& events);
void unbind_cgroups(EventList& events);

// --for-each-cgroup: every event once for each group; names, or regular expressions that choose among all groups.
// Errors (Usage): nothing matches, a group that is not there.
Result<> expand_checked_cgroups(const Root& root, std::string_view words, EventList& events);

}  // namespace peregrine
