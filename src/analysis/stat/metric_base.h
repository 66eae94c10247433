// MetricBase: the other counters at one place, as bases of one counter's metrics.
//
// A base is the count a metric divides by. It has the same modes, cgroup and PMU as the metric's event; among several,
// one in the same group is preferred, because both then ran at the same time.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "abi/attr.h"
#include "analysis/stat/stat_metric.h"
#include "base/types.h"
#include "event/spec.h"

namespace peregrine {

// A count, or why it is missing.
struct BaseCount {
  std::optional<double> count;  // above 0
  std::string reason;           // empty if no such event was requested
};

class MetricBase {
 public:
  MetricBase(const EventList& events, std::size_t index, const StatPlaceCounts& place)
      : events_(events), own_(events[index]), place_(place) {}

  // The event with a generic type: hardware, software, cache.
  BaseCount generic(abi::EventType type, u64 config) const;
  BaseCount hardware(abi::HardwareEvent event) const {
    return generic(abi::EventType::Hardware, static_cast<u64>(event));
  }
  // The event with this name: "slots" also matches "cpu/slots/".
  BaseCount named(std::string_view name) const;
  bool has_named(std::string_view name) const;

  // Mean of all clock events in ns, the time base of rates. 0 without a clock.
  double clock_ns() const;

 private:
  template <class Matches>
  BaseCount find(Matches matches) const;
  bool same_view(const EventSpec& other) const;

  const EventList& events_;
  const EventSpec& own_;
  const StatPlaceCounts& place_;
};

// Whether this is the event (type, config), on any kind of core.
bool is_generic(const EventSpec& spec, abi::EventType type, u64 config);
// "cpu/cycles-t/", "cycles-t:u" → "cycles-t".
std::string_view plain_event_name(const EventSpec& spec);

// factor × count ÷ base, or the reason why the base is missing.
StatMetric metric_of(StatMetric::Format format, const char* unit, double count, const BaseCount& base,
                     double factor = 1);

// Metrics of named PMU events: top-down slots, transactions, system management interrupts. Empty for other events.
std::vector<StatMetric> named_metrics(const EventSpec& spec, double count, const MetricBase& base);

}  // namespace peregrine
