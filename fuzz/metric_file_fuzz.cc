// A file of metrics: read, planned for a system without PMUs and tracepoints, and computed.
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "analysis/metric/machine_facts.h"
#include "analysis/metric/metric_catalogue.h"
#include "analysis/metric/metric_file.h"
#include "analysis/metric/metric_set.h"
#include "analysis/stat/stat_metric.h"
#include "base/bytes.h"
#include "event/source.h"
#include "event/spec.h"
#include "input.h"
#include "sys/root.h"

void peregrine::fuzz_metric_file(Bytes bytes) {
  auto file = read_metric_file(as_text(bytes), "fuzz.json");
  if (!file) return;
  MetricCatalogue catalogue;
  catalogue.add(std::move(file->metrics));
  EventSources sources(Root("/nonexistent"));
  EventList events;
  std::vector<std::string> warnings;
  const auto set = plan_metrics("all", catalogue, {}, machine_facts(sources, {}), sources, events, warnings);
  if (!set) return;
  StatPlaceCounts place;
  for (std::size_t i = 0; i < events.size(); ++i) {
    place.counts.push_back(static_cast<double>(i));
    place.counted.push_back(i % 3 != 0);
  }
  for (std::size_t i = 0; i < events.size(); ++i) static_cast<void>(set->metrics_at(events, i, place));
}
