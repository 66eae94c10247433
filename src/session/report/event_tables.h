// Decides which events share a table: one table per event, or one for the members of a group.
#pragma once
#include <string>
#include <vector>

#include "base/types.h"
#include "data/header/evlist.h"

namespace peregrine {

bool has_groups(const data::Evlist& evlist);
// The events of each table. Without groups in the recording, `group_given` puts all into one.
std::vector<std::vector<u32>> event_tables(const data::Evlist& evlist, bool group, bool group_given);
// "cpu-clock", "anon group { a, b }"; `names`: of the events.
std::string table_name(const std::vector<std::string>& names, const data::Evlist& evlist,
                       const std::vector<u32>& events);

}  // namespace peregrine
