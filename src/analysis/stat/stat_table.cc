#include "analysis/stat/stat_table.h"

#include <algorithm>

namespace peregrine {

namespace {

// The count as if the counter had run all the time it was enabled.
u64 scaled(u64 value, u64 enabled, u64 running) {
  if (running == 0 || running >= enabled) return value;
  return static_cast<u64>(static_cast<double>(value) * static_cast<double>(enabled) / static_cast<double>(running));
}

}  // namespace

std::string_view stat_unit(const EventSpec& spec) {
  const bool is_time = spec.tool != ToolEvent::None && spec.tool != ToolEvent::Sensor;
  return is_time ? std::string_view("ns") : std::string_view(spec.unit);
}

u64 tool_time(ToolEvent tool, const StatTimes& times) {
  return tool == ToolEvent::DurationTime ? times.duration_ns
         : tool == ToolEvent::UserTime   ? times.user_ns
                                         : times.system_ns;
}

StatTable::StatTable(const EventList& events, std::vector<bool> supported, StatLayout layout)
    : events_(events),
      supported_(std::move(supported)),
      layout_(std::move(layout)),
      has_cgroups_(std::ranges::any_of(events, [](const EventSpec& spec) { return !spec.cgroup.empty(); })),
      cells_(events.size() * layout_.places.size()) {}

std::optional<std::size_t> StatTable::place_of(const CounterReading& reading) const {
  if (aggregation() == StatAggregation::Global) return 0;
  for (std::size_t i = 0; i < layout_.places.size(); ++i) {
    const StatPlace& place = layout_.places[i];
    if (aggregation() == StatAggregation::Thread ? place.thread == reading.thread
                                                 : std::ranges::find(place.cpus, reading.cpu) != place.cpus.end())
      return i;
  }
  return std::nullopt;
}

void StatTable::add_reading(const CounterReading& reading) {
  const auto place = place_of(reading);
  if (!place || reading.event >= events_.size()) return;
  Cell& at = cell(reading.event, *place);
  at.of_cpu = reading.thread < 0;
  if (aggregation() == StatAggregation::Global) {
    at.value += reading.value;
    at.enabled += reading.enabled;
    at.running += reading.running;
    ++at.members;
    return;
  }
  // One reading that never counted makes the whole sum unknown.
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
  if (events_[event].tool == ToolEvent::Sensor) {
    at.value = event < times.sensors.size() ? times.sensors[event] : 0;
    at.enabled = at.running = 1;
    at.members = 1;
    return;
  }
  const u64 ns = tool_time(events_[event].tool, times);
  at.value = at.enabled = at.running = ns;
  at.members = 1;
}

void StatTable::add_run(std::span<const CounterReading> readings, const StatTimes& times) {
  for (Cell& at : cells_) {
    at.value = at.enabled = at.running = 0;
    at.members = 0;
    at.bad = false;
  }
  for (const CounterReading& reading : readings) add_reading(reading);
  for (std::size_t event = 0; event < events_.size(); ++event)
    if (events_[event].tool != ToolEvent::None && !layout_.places.empty()) add_tool_event(event, times);
  end_run();
  wall_.add(static_cast<double>(times.wall_ns));
  walls_.push_back(static_cast<double>(times.wall_ns));
}

void StatTable::end_run() {
  if (aggregation() != StatAggregation::Global) return;
  for (Cell& at : cells_) {
    if (layout_.scale) at.value = scaled(at.value, at.enabled, at.running);
    at.values.add(static_cast<double>(at.value));
    at.enabled_over_runs.add(static_cast<double>(at.enabled));
    at.running_over_runs.add(static_cast<double>(at.running));
  }
}

StatPlaceCounts StatTable::counts_at(std::size_t place) const {
  StatPlaceCounts counts;
  counts.wall_ns = wall_.mean();
  for (std::size_t event = 0; event < events_.size(); ++event) {
    const Cell& at = cell(event, place);
    const bool global = aggregation() == StatAggregation::Global;
    const double enabled = global ? at.enabled_over_runs.mean() : static_cast<double>(at.enabled);
    counts.counts.push_back(global ? at.values.mean() : static_cast<double>(at.value));
    counts.counted.push_back(supported_[event] && (global ? at.running_over_runs.mean() > 0 : at.running > 0));
    counts.window_ns.push_back(at.of_cpu && at.members > 0 ? enabled / at.members : 0);
  }
  return counts;
}

std::optional<StatRow> StatTable::row(std::size_t event, std::size_t place) const {
  const Cell& at = cell(event, place);
  StatRow row{.event = event, .place = place, .members = std::max(at.members, 1u)};
  if (!supported_[event]) {
    row.state = StatState::NotSupported;
    return row;
  }
  if (aggregation() == StatAggregation::Global) {
    row.count = at.values.mean();
    row.noise_percent = at.values.error_percent();
    row.enabled_ns = static_cast<u64>(at.enabled_over_runs.mean());
    row.running_ns = static_cast<u64>(at.running_over_runs.mean());
  } else {
    if (at.members == 0) return std::nullopt;  // the event does not exist here: an uncore unit, another core type
    row.count = static_cast<double>(at.value);
    row.enabled_ns = at.enabled;
    row.running_ns = at.running;
  }
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
      metric.reason.clear();  // the row itself says that it did not count
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
  for (StatRow& made : rows) made.metrics = metrics_of(made, counts[made.place]);
  return rows;
}

}  // namespace peregrine
