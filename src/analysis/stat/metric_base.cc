#include "analysis/stat/metric_base.h"

#include <cstddef>

#include "abi/attr.h"
#include "base/types.h"
#include "event/spec.h"

namespace peregrine {

namespace {

// On hybrid machines the upper 32 bits of a generic config hold the PMU type.
constexpr u64 kGenericConfig = 0xffffffff;

EventSpec::Generic generic_of(const EventSpec& spec) {
  return spec.stands_for.value_or(EventSpec::Generic{spec.attr.type, spec.attr.config});
}

}  // namespace

bool is_generic(const EventSpec& spec, abi::EventType type, u64 config) {
  const EventSpec::Generic known = generic_of(spec);
  if (spec.tool != ToolEvent::None || known.type != static_cast<u32>(type)) return false;
  const bool by_core_type = type == abi::EventType::Hardware || type == abi::EventType::HwCache;
  return (by_core_type ? known.config & kGenericConfig : known.config) == config;
}

std::string_view plain_event_name(const EventSpec& spec) {
  std::string_view name = spec.name;
  if (const std::size_t slash = name.find('/'); slash != std::string_view::npos) {
    name.remove_prefix(slash + 1);
    return name.substr(0, name.find('/'));
  }
  return name.substr(0, name.find(':'));
}

bool MetricBase::same_view(const EventSpec& other) const {
  namespace flag = abi::attr_flag;
  constexpr u64 kModes =
      flag::ExcludeUser | flag::ExcludeKernel | flag::ExcludeHv | flag::ExcludeHost | flag::ExcludeIdle;
  const bool generic = own_.attr.type == static_cast<u32>(abi::EventType::Hardware) ||
                       own_.attr.type == static_cast<u32>(abi::EventType::HwCache);
  if (own_.stands_for && other.pmu != own_.pmu) return false;
  return (other.attr.flags & kModes) == (own_.attr.flags & kModes) && other.cgroup == own_.cgroup &&
         (!generic || (other.attr.config & ~kGenericConfig) == (own_.attr.config & ~kGenericConfig));
}

template <class Matches>
BaseCount MetricBase::find(Matches matches) const {
  BaseCount found;
  for (std::size_t i = 0; i < events_.size(); ++i) {
    const EventSpec& other = events_[i];
    if (!matches(other) || !same_view(other)) continue;
    if (!place_.counted[i]) {
      if (!found.count) found.reason = other.name + " did not count";
    } else if (place_.counts[i] <= 0) {
      if (!found.count) found.reason = other.name + " counted 0";
    } else if (!found.count || other.leader == own_.leader) {
      found = {place_.counts[i], {}};
    }
  }
  return found;
}

BaseCount MetricBase::generic(abi::EventType type, u64 config) const {
  return find([&](const EventSpec& other) { return is_generic(other, type, config); });
}

BaseCount MetricBase::named(std::string_view name) const {
  return find([&](const EventSpec& other) { return plain_event_name(other) == name && other.pmu == own_.pmu; });
}

bool MetricBase::has_named(std::string_view name) const {
  const BaseCount found = named(name);
  return found.count || !found.reason.empty();
}

double MetricBase::clock_ns() const {
  double sum = 0;
  unsigned clocks = 0;
  for (std::size_t i = 0; i < events_.size(); ++i)
    if (place_.counted[i] && is_clock(events_[i]) && events_[i].cgroup == own_.cgroup) {
      sum += place_.counts[i];
      ++clocks;
    }
  return clocks == 0 ? 0 : sum / clocks;
}

StatMetric metric_of(StatMetric::Format format, const char* unit, double count, const BaseCount& base, double factor) {
  StatMetric metric{.format = format, .unit = unit, .reason = base.reason};
  if (base.count) metric.value = factor * count / *base.count;
  return metric;
}

}  // namespace peregrine
