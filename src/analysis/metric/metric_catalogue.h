// MetricCatalogue: every metric there is for this machine: the built-in ones and those of files, which win by name.
#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/metric/metric_definition.h"

namespace peregrine {

// Metrics of our own over events that the kernel names on every processor. See builtin_metric.cc.
std::vector<MetricDefinition> builtin_metrics();

class MetricCatalogue {
 public:
  MetricCatalogue() { add(builtin_metrics()); }

  // A metric of a known name replaces the one that was there.
  void add(std::vector<MetricDefinition> metrics);

  const std::vector<MetricDefinition>& metrics() const { return metrics_; }
  const MetricDefinition* find(std::string_view name) const;  // capitals do not matter
  // The metrics that a word of -M means: a name, a group, or "all"; in the order of the catalogue.
  std::vector<const MetricDefinition*> matching(std::string_view word) const;
  // Group names, sorted, each once.
  std::vector<std::string> groups() const;
  // The name or group that looks most like `word`; empty when none does.
  std::string nearest(std::string_view word) const;

 private:
  std::vector<MetricDefinition> metrics_;
  std::map<std::string, std::size_t, std::less<>> places_;  // by name in small letters
};

}  // namespace peregrine
