// MetricCatalogue: all metrics for this machine, built-in and from files; files override by name.
#pragma once
#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/metric/metric_definition.h"

namespace peregrine {

// Our metrics, over events that the kernel names on every processor. See builtin_metric.cc.
std::vector<MetricDefinition> builtin_metrics();

class MetricCatalogue {
 public:
  MetricCatalogue() { add(builtin_metrics()); }

  // Adds metrics, replacing those with the same names.
  void add(std::vector<MetricDefinition> metrics);

  const std::vector<MetricDefinition>& metrics() const { return metrics_; }
  const MetricDefinition* find(std::string_view name) const;  // case-insensitive
  // The metrics selected by an item of -M: a name, a group, or "all"; in catalogue order.
  std::vector<const MetricDefinition*> matching(std::string_view word) const;
  // Group names, sorted, without duplicates.
  std::vector<std::string> groups() const;
  // The most similar name or group; empty if none is similar.
  std::string nearest(std::string_view word) const;

 private:
  std::vector<MetricDefinition> metrics_;
  std::map<std::string, std::size_t, std::less<>> places_;  // by lower-case name
};

}  // namespace peregrine
