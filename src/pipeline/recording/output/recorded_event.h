// The events that were opened, as a recording's header tells them: attrs, ids, names, units, groups.
#pragma once
#include <vector>

#include "data/feature/features.h"
#include "data/header/evlist.h"
#include "event/spec.h"

namespace peregrine {

// `ids`: by event, what the kernel calls its instances. Fills the list and the features EVENT_DESC, GROUP_DESC and
// BRANCH_STACK.
void add_recorded_events(const EventList& events, const std::vector<std::vector<u64>>& ids, data::Evlist& evlist,
                         data::Features& features);

}  // namespace peregrine
