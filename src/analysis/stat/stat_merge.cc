#include "analysis/stat/stat_merge.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>

namespace peregrine {

namespace {

bool is_the_same(const EventSpec& a, const EventSpec& b) {
  return a.name == b.name && a.unit == b.unit && a.scale == b.scale && a.cgroup == b.cgroup;
}

}  // namespace

std::vector<std::vector<std::size_t>> merged_events(const EventList& events) {
  std::vector<std::vector<std::size_t>> merged(events.size());
  std::vector<bool> taken(events.size());
  for (std::size_t first = 0; first < events.size(); ++first) {
    if (taken[first]) continue;
    merged[first] = {first};
    if (!events[first].auto_merge) continue;
    for (std::size_t next = first + 1; next < events.size(); ++next) {
      const EventSpec& spec = events[next];
      if (taken[next] || !spec.auto_merge || !is_the_same(events[first], spec)) continue;
      // The same PMU again: the user requested the event twice.
      const auto of_pmu = [&](std::size_t index) { return events[index].pmu == spec.pmu; };
      if (std::ranges::any_of(merged[first], of_pmu)) break;
      merged[first].push_back(next);
      taken[next] = true;
    }
  }
  return merged;
}

void name_by_pmu(EventList& events) {
  for (EventSpec& spec : events) {
    if (!spec.auto_merge || spec.pmu.empty() || spec.name.starts_with(spec.pmu)) continue;
    const auto slash = spec.name.find('/');
    spec.name =
        slash == std::string::npos ? fmt::format("{} [{}]", spec.name, spec.pmu) : spec.pmu + spec.name.substr(slash);
  }
}

void name_without_core(EventList& events) {
  for (EventSpec& spec : events) {
    const std::string head = spec.pmu + "/";
    if (!spec.own_cpus || spec.system_wide || spec.pmu.empty() || !spec.name.starts_with(head)) continue;
    const auto end = spec.name.rfind('/');
    if (end < head.size()) continue;
    spec.name = spec.name.substr(head.size(), end - head.size()) + spec.name.substr(end + 1);
    spec.auto_merge = true;
  }
}

}  // namespace peregrine
