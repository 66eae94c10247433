// Converts opened events for a recording's header: attrs, ids, names, units, groups.
#pragma once
#include <vector>

#include "base/types.h"
#include "data/feature/features.h"
#include "data/header/evlist.h"
#include "event/spec.h"

namespace peregrine {

// `ids`: by event, the kernel's ids. Fills the list and the features EVENT_DESC, GROUP_DESC and BRANCH_STACK.
void add_recorded_events(const EventList& events, const std::vector<std::vector<u64>>& ids, data::Evlist& evlist,
                         data::Features& features);

}  // namespace peregrine
