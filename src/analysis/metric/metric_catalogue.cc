#include "analysis/metric/metric_catalogue.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/nearest.h"
#include "base/text/ascii.h"

namespace peregrine {

void MetricCatalogue::add(std::vector<MetricDefinition> metrics) {
  for (MetricDefinition& metric : metrics) {
    const auto [place, is_new] = places_.try_emplace(lower_case(metric.name), metrics_.size());
    if (is_new)
      metrics_.push_back(std::move(metric));
    else
      metrics_[place->second] = std::move(metric);
  }
}

const MetricDefinition* MetricCatalogue::find(std::string_view name) const {
  const auto place = places_.find(lower_case(name));
  return place == places_.end() ? nullptr : &metrics_[place->second];
}

std::vector<const MetricDefinition*> MetricCatalogue::matching(std::string_view word) const {
  std::vector<const MetricDefinition*> found;
  for (const MetricDefinition& metric : metrics_)
    if (word == "all" || equal_any_case(metric.name, word) ||
        std::ranges::any_of(metric.groups, [&](const auto& group) { return equal_any_case(group, word); }) ||
        (metric.groups.empty() && equal_any_case(word, "No_group")))
      found.push_back(&metric);
  return found;
}

std::vector<std::string> MetricCatalogue::groups() const {
  std::set<std::string> groups;
  for (const MetricDefinition& metric : metrics_) groups.insert(metric.groups.begin(), metric.groups.end());
  return {groups.begin(), groups.end()};
}

std::string MetricCatalogue::nearest(std::string_view word) const {
  const std::vector<std::string> groups = this->groups();
  std::vector<std::string_view> candidates(groups.begin(), groups.end());
  for (const MetricDefinition& metric : metrics_) candidates.push_back(metric.name);
  const auto found = peregrine::nearest(word, candidates);
  return found ? std::string(*found) : std::string();
}

}  // namespace peregrine
