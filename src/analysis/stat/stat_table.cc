#include "analysis/stat/stat_table.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string_view>
#include <utility>

#include "analysis/stat/stat_merge.h"
#include "base/number/whole_number.h"
#include "base/types.h"
#include "sys/hardware/pmu.h"

namespace peregrine {

namespace {

// Extrapolates the count to the whole time that the counter was enabled; saturates at 64 bits.
u64 scaled(u64 value, u64 enabled, u64 running) {
  if (running == 0 || running >= enabled) return value;
  const double whole = static_cast<double>(value) * static_cast<double>(enabled) / static_cast<double>(running);
  return whole < 0x1p64 ? static_cast<u64>(whole) : ~u64{0};
}

}  // namespace

std::string_view stat_unit(const EventSpec& spec) {
  return spec.is_tool_time() ? std::string_view("ns") : std::string_view(spec.unit);
}

u64 tool_time(ToolEvent tool, const StatTimes& times) {
  return tool == ToolEvent::DurationTime ? times.duration_ns
         : tool == ToolEvent::UserTime   ? times.user_ns
                                         : times.system_ns;
}

double retire_latency(const EventSpec& spec, const LatencyTally& tally, LatencyMode mode) {
  const RetireLatency usual = spec.usual_latency.value_or(RetireLatency());
  const bool sampled = tally.samples != 0;
  switch (mode) {
    case LatencyMode::Min:
      return sampled ? static_cast<double>(tally.min) : usual.min;
    case LatencyMode::Max:
      return sampled ? static_cast<double>(tally.max) : usual.max;
    case LatencyMode::Last:
      return sampled ? static_cast<double>(tally.last) : usual.mean;
    case LatencyMode::Mean:
      break;
  }
  return sampled ? static_cast<double>(tally.sum) / static_cast<double>(tally.samples) : usual.mean;
}

LatencyTally latency_of(std::size_t event, std::span<const LatencyReading> readings) {
  LatencyTally whole;
  for (const LatencyReading& reading : readings)
    if (reading.event == event) whole.merge(reading.tally);
  return whole;
}

StatTable::StatTable(const EventList& events, std::vector<bool> supported, StatLayout layout)
    : events_(events),
      supported_(std::move(supported)),
      layout_(std::move(layout)),
      has_cgroups_(std::ranges::any_of(events, [](const EventSpec& spec) { return !spec.cgroup.empty(); })),
      merged_(merged_events(events)),
      cells_(events.size() * layout_.places.size()) {
  index_cpus();
}

// Searching all places for each reading would be quadratic on servers with hundreds of CPUs.
void StatTable::index_cpus() {
  for (std::size_t place = 0; place < layout_.places.size(); ++place)
    for (const int cpu : layout_.places[place].cpus) {
      const auto number = static_cast<std::size_t>(std::max(cpu, 0));
      if (number >= of_cpu_.size()) of_cpu_.resize(number + 1);
      (is_core(place) ? of_cpu_[number].core : of_cpu_[number].own) = place;
    }
}

StatTable::Places StatTable::places_of(const CounterReading& reading) const {
  if (aggregation() == StatAggregation::Global) return {0, {}};
  if (aggregation() != StatAggregation::Thread) {
    const auto cpu = static_cast<std::size_t>(reading.cpu);
    return reading.cpu >= 0 && cpu < of_cpu_.size() ? of_cpu_[cpu] : Places{};
  }
  const auto found = std::ranges::find(layout_.places, reading.thread, &StatPlace::thread);
  if (found == layout_.places.end()) return {};
  return {static_cast<std::size_t>(found - layout_.places.begin()), {}};
}

void StatTable::add_reading(const CounterReading& reading) {
  if (reading.event >= events_.size()) return;
  const Places at = places_of(reading);
  if (at.own) add_to(cell(reading.event, *at.own), reading);
  if (at.core) add_to(cell(reading.event, *at.core), reading);
}

void StatTable::add_to(Cell& at, const CounterReading& reading) const {
  at.of_cpu = reading.thread < 0;
  if (aggregation() == StatAggregation::Global) {
    at.value += reading.value;
    at.enabled += reading.enabled;
    at.running += reading.running;
    ++at.members;
    return;
  }
  // A single reading that never counted makes the sum unknown.
  if (at.bad) return;
  ++at.members;
  if (reading.enabled == 0 || reading.running == 0) {
    at.bad = true;
    at.value = at.enabled = at.running = 0;
    return;
  }
  at.value += layout_.scale ? scaled(reading.value, reading.enabled, reading.running) : reading.value;
  at.enabled += reading.enabled;
  at.running += reading.running;
}

void StatTable::add_tool_event(std::size_t event, const StatTimes& times) {
  Cell& at = cell(event, 0);
  if (!events_[event].is_tool_time()) {
    const u64 read = event < times.sensors.size() ? times.sensors[event] : 0;
    at.value = events_[event].number.value_or(read);
    at.enabled = at.running = 1;
    at.members = 1;
    return;
  }
  const u64 ns = tool_time(events_[event].tool, times);
  at.value = at.enabled = at.running = ns;
  at.members = 1;
}

// Sets a latency at every place, including places without samples: unlike a sum, it is not too small without them.
void StatTable::add_latency(std::size_t event, std::span<const LatencyReading> readings) {
  std::vector<LatencyTally> tallies(layout_.places.size());
  for (const LatencyReading& reading : readings) {
    if (reading.event != event) continue;
    const Places at = places_of({.event = event, .cpu = reading.cpu, .thread = reading.thread});
    if (at.own) tallies[*at.own].merge(reading.tally);
    if (at.core) tallies[*at.core].merge(reading.tally);
  }
  for (std::size_t place = 0; place < tallies.size(); ++place) {
    Cell& at = cell(event, place);
    at.latency = retire_latency(events_[event], tallies[place], layout_.latency);
    at.enabled = at.running = 1;
    at.members = 1;
  }
}

void StatTable::add_run(std::span<const CounterReading> readings, const StatTimes& times) {
  for (Cell& at : cells_) {
    at.value = at.enabled = at.running = 0;
    at.members = 0;
    at.bad = false;
  }
  for (const CounterReading& reading : readings) add_reading(reading);
  for (std::size_t event = 0; event < events_.size(); ++event)
    if (events_[event].tool == ToolEvent::RetireLatency)
      add_latency(event, times.latencies);
    else if (events_[event].tool != ToolEvent::None && !layout_.places.empty())
      add_tool_event(event, times);
  end_run();
  wall_.add(static_cast<double>(times.wall_ns));
  walls_.push_back(static_cast<double>(times.wall_ns));
}

void StatTable::end_run() {
  if (aggregation() != StatAggregation::Global) return;
  for (Cell& at : cells_) {
    if (layout_.scale) at.value = scaled(at.value, at.enabled, at.running);
    at.values.add(at.amount());
    at.enabled_over_runs.add(static_cast<double>(at.enabled));
    at.running_over_runs.add(static_cast<double>(at.running));
  }
}

StatTable::Sum StatTable::sum_at(std::size_t event, std::size_t place) const {
  const bool global = aggregation() == StatAggregation::Global;
  const std::size_t itself[] = {event};
  const auto& several = merged_[event];
  const std::span<const std::size_t> family = several.empty() ? std::span<const std::size_t>(itself) : several;
  Sum sum;
  double variance = 0;
  for (const std::size_t each : family) {
    const Cell& at = cell(each, place);
    sum.supported = sum.supported || supported_[each];
    sum.bad = sum.bad || at.bad;
    sum.of_cpu = sum.of_cpu || at.of_cpu;
    // `members` counts CPUs, and the PMUs of merged events share them, so take the maximum.
    sum.members = std::max(sum.members, at.members);
    sum.readings += at.members;
    sum.count += global ? at.values.mean() : at.amount();
    sum.enabled += global ? at.enabled_over_runs.mean() : static_cast<double>(at.enabled);
    sum.running += global ? at.running_over_runs.mean() : static_cast<double>(at.running);
    variance += at.values.error() * at.values.error();
  }
  sum.error = std::sqrt(variance);
  if (sum.bad) sum.count = sum.enabled = sum.running = 0;
  return sum;
}

StatPlaceCounts StatTable::counts_at(std::size_t place) const {
  StatPlaceCounts counts;
  counts.wall_ns = wall_.mean();
  for (std::size_t event = 0; event < events_.size(); ++event) {
    const Sum sum = sum_at(event, place);
    counts.counts.push_back(sum.count);
    counts.counted.push_back(sum.supported && sum.running > 0);
    counts.window_ns.push_back(sum.of_cpu && sum.readings > 0 ? sum.enabled / sum.readings : 0);
  }
  return counts;
}

std::optional<std::size_t> StatTable::source_of(std::size_t event, std::size_t place) const {
  const bool of_core = layout_.first_core != 0 && events_[event].terms.percore.value_or(false);
  const bool to_core = of_core && !layout_.core_at_each_cpu;
  if (is_core(place) != to_core) return std::nullopt;
  return of_core && !to_core ? of_cpu_[static_cast<std::size_t>(layout_.places[place].cpus.front())].core : place;
}

std::optional<StatRow> StatTable::row(std::size_t event, std::size_t place) const {
  if (merged_[event].empty()) return std::nullopt;
  const auto source = source_of(event, place);
  if (!source) return std::nullopt;
  const Sum sum = sum_at(event, *source);
  StatRow row{.event = event, .place = place, .counted_at = *source, .members = std::max(sum.members, 1u)};
  if (!sum.supported) {
    row.state = StatState::NotSupported;
    return row;
  }
  // The event does not exist at this place (uncore unit, other core type).
  if (aggregation() != StatAggregation::Global && sum.members == 0) return std::nullopt;
  row.count = sum.count;
  row.noise_percent = sum.count == 0 ? 0 : 100.0 * sum.error / sum.count;
  row.enabled_ns = whole_number(sum.enabled);
  row.running_ns = whole_number(sum.running);
  if (row.enabled_ns == 0 || row.running_ns == 0) return row;
  row.state = StatState::Counted;
  row.value = row.count * events_[event].scale;
  return row;
}

std::vector<StatMetric> StatTable::metrics_of(const StatRow& row, const StatPlaceCounts& counts) const {
  if (metrics_)
    if (auto others = metrics_(events_, row.event, counts)) return std::move(*others);
  std::vector<StatMetric> metrics = stat_metrics(events_, row.event, counts);
  if (row.state != StatState::Counted)
    for (StatMetric& metric : metrics) {
      metric.value.reset();
      metric.reason.clear();  // the row itself shows that it did not count
    }
  return metrics;
}

std::vector<StatRow> StatTable::rows() const {
  std::vector<StatRow> rows;
  auto add = [&](std::size_t event, std::size_t place) {
    if (auto made = row(event, place)) rows.push_back(std::move(*made));
  };
  if (sums_cpus(aggregation())) {
    for (std::size_t place = 0; place < layout_.places.size(); ++place)
      for (std::size_t event = 0; event < events_.size(); ++event) add(event, place);
  } else {
    for (std::size_t event = 0; event < events_.size(); ++event) {
      const std::size_t first = rows.size();
      for (std::size_t place = 0; place < layout_.places.size(); ++place) add(event, place);
      if (aggregation() == StatAggregation::Thread)
        std::stable_sort(rows.begin() + static_cast<std::ptrdiff_t>(first), rows.end(),
                         [](const StatRow& a, const StatRow& b) { return a.count > b.count; });
    }
  }
  std::vector<StatPlaceCounts> counts;
  for (std::size_t place = 0; place < layout_.places.size(); ++place) counts.push_back(counts_at(place));
  for (StatRow& made : rows) made.metrics = metrics_of(made, counts[made.counted_at]);
  return rows;
}

}  // namespace peregrine
