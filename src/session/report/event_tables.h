// Decides which events share a table: one table per event, or one for the members of a group.
#pragma once
#include <string>
#include <vector>

#include "base/types.h"
#include "data/header/evlist.h"

namespace peregrine {

bool has_groups(const data::Evlist& evlist);
// The events of each table. If the recording has no groups, `group_given` puts all events into one table.
std::vector<std::vector<u32>> event_tables(const data::Evlist& evlist, bool group, bool group_given);
// "cpu-clock", "anon group { a, b }"; `names`: of the events.
std::string table_name(const std::vector<std::string>& names, const data::Evlist& evlist,
                       const std::vector<u32>& events);

}  // namespace peregrine
