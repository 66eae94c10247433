#include "pipeline/recording/output/recorded_event.h"

#include <cstddef>
#include <utility>

#include "abi/attr.h"
#include "base/types.h"

namespace peregrine {

void add_recorded_events(const EventList& events, const std::vector<std::vector<u64>>& ids, data::Evlist& evlist,
                         data::Features& features) {
  std::vector<data::EventDescription> descriptions;
  std::vector<data::GroupDescription> groups;
  for (std::size_t index = 0; index < events.size(); ++index) {
    const EventSpec& spec = events[index];
    data::Event event;
    event.attr = spec.attr;
    event.attr.size = abi::written_size(spec.attr);
    event.ids = ids[index];
    event.name = spec.name;
    event.unit = spec.unit;
    event.scale = spec.scale;
    if (spec.own_cpus) event.cpus.assign(spec.own_cpus->begin(), spec.own_cpus->end());
    descriptions.push_back({event.attr, event.name, event.ids});
    features.branch_stack |= event.attr.samples(abi::sample_bit::BranchStack);
    evlist.add(std::move(event));
  }
  for (std::size_t index = 0; index < events.size(); ++index) {
    const EventSpec& spec = events[index];
    if (spec.leader != index || spec.group_size < 2) continue;
    const auto leader = static_cast<u32>(index), members = static_cast<u32>(spec.group_size);
    evlist.set_group(leader, members, spec.group_name);
    groups.push_back({spec.group_name.empty() ? "{anon_group}" : spec.group_name, leader, members});
  }
  features.event_desc = std::move(descriptions);
  if (!groups.empty()) features.groups = std::move(groups);
}

}  // namespace peregrine
