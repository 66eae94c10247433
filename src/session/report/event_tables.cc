#include "session/report/event_tables.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/types.h"

namespace peregrine {

bool has_groups(const data::Evlist& evlist) {
  return std::ranges::any_of(evlist, [](const data::Event& event) { return event.members > 1; });
}

std::vector<std::vector<u32>> event_tables(const data::Evlist& evlist, bool group, bool group_given) {
  std::vector<std::vector<u32>> tables;
  const bool any_group = has_groups(evlist);
  const bool grouped = group && (any_group || group_given);
  for (u32 event = 0; event < evlist.size(); ++event) {
    const bool follows = any_group ? evlist[event].leader != event : event > 0;
    if (grouped && follows && !tables.empty())
      tables.back().push_back(event);
    else
      tables.push_back({event});
  }
  return tables;
}

std::string table_name(const std::vector<std::string>& names, const data::Evlist& evlist,
                       const std::vector<u32>& events) {
  if (events.size() == 1) return names[events[0]];
  std::string name;
  for (const u32 event : events) name += (event == events[0] ? "" : ", ") + names[event];
  if (!has_groups(evlist)) return name;
  const std::string& group = evlist[events[0]].group_name;
  return fmt::format("{} {{ {} }}", group.empty() ? "anon group" : group, name);
}

}  // namespace peregrine
