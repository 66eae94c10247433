#include "output/text/script/script_metrics.h"

#include <cstddef>
#include <utility>

#include "base/types.h"
#include "event/spec.h"
#include "output/text/format/metric_value.h"

namespace peregrine {

void ScriptMetrics::take_events() {
  for (std::size_t i = events_.size(); i < evlist_.size(); ++i) {
    const data::Event& event = evlist_[i];
    EventSpec spec;
    spec.name = event.name;
    spec.attr = event.attr;
    spec.leader = event.leader;
    spec.group_size = event.members;
    events_.push_back(std::move(spec));
  }
  counts_.counts.resize(events_.size());
  counts_.counted.resize(events_.size());
}

std::vector<std::string> ScriptMetrics::add(u32 event, u64 period) {
  if (events_.size() != evlist_.size()) take_events();
  const u32 leader = evlist_[event].leader, members = evlist_[leader].members;
  if (members < 2) return {};
  const auto forget = [&] {
    for (u32 i = leader; i < leader + members; ++i) counts_.counted[i] = false;
  };
  if (counts_.counted[event]) forget();
  counts_.counts[event] = static_cast<double>(period) * evlist_[event].scale;
  counts_.counted[event] = true;
  for (u32 i = leader; i < leader + members; ++i)
    if (!counts_.counted[i]) return {};
  std::vector<std::string> texts;
  for (u32 i = leader; i < leader + members; ++i)
    for (const StatMetric& metric : stat_metrics(events_, i, counts_))
      if (metric.value) texts.push_back(metric_column(metric) + " " + metric.unit);
  forget();
  return texts;
}

}  // namespace peregrine
