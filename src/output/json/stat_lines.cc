#include "output/json/stat_lines.h"

#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "analysis/stat/stat_metric.h"
#include "analysis/stat/stat_place.h"
#include "base/types.h"
#include "event/config/port_event.h"
#include "event/spec.h"
#include "output/json/json_line.h"
#include "output/json/stat_json.h"
#include "output/text/stat/metric_table.h"
#include "output/text/stat/versus_table.h"

namespace peregrine {
namespace {

// Builds one line of JSON, which does not depend on the locale.
class Line {
 public:
  explicit Line(std::string_view type) { JsonLine(text_).string("type", type); }

  Line& text(std::string_view name, std::string_view value) {
    JsonLine(text_).string(name, value);
    return *this;
  }
  Line& text_or_null(std::string_view name, std::string_view value) {
    return value.empty() ? raw(name, "null") : text(name, value);
  }
  Line& whole(std::string_view name, std::optional<u64> value) {
    return raw(name, value ? fmt::to_string(*value) : "null");
  }
  // JSON has neither infinities nor NaN.
  Line& number(std::string_view name, std::optional<double> value) {
    return raw(name, value && std::isfinite(*value) ? fmt::to_string(*value) : "null");
  }
  Line& raw(std::string_view name, std::string_view value) {
    JsonLine(text_).key(name);
    text_ += value;
    return *this;
  }
  void print(Sink& out) { out.append(text_).append("}\n"); }
  // Returns an object to nest in another line.
  std::string object() && { return std::move(text_) + '}'; }

 private:
  std::string text_ = "{";
};

std::string_view word_of(StatAggregation aggregation) {
  const std::string_view key = place_key(aggregation);
  return key.empty() ? "global" : key;
}

std::string_view word_of(StatState state) {
  return state == StatState::Counted ? "counted" : state == StatState::NotCounted ? "not-counted" : "not-supported";
}

std::string metric_object(std::string_view name, const StatMetric* metric) {
  const bool judged = metric != nullptr && metric->is_bad.has_value();
  return std::move(Line("metric")
                       .text("name", name)
                       .number("value", metric == nullptr ? std::nullopt : metric->value)
                       .text_or_null("threshold", !judged           ? ""
                                                  : *metric->is_bad ? "bad"
                                                                    : "good")
                       .text_or_null("reason", metric == nullptr ? "" : metric->reason))
      .object();
}

template <class Each>
std::string list(std::size_t size, Each each) {
  std::string text = "[";
  for (std::size_t i = 0; i < size; ++i) text += (i == 0 ? "" : ",") + each(i);
  return text + ']';
}

void add_place(Line& line, const StatTable& table, const StatRow& row, std::optional<u64> time_ns) {
  const StatAggregation kind = table.is_core(row.place) ? StatAggregation::Core : table.aggregation();
  const bool global = kind == StatAggregation::Global;
  line.whole("time_ns", time_ns)
      .text("per", word_of(kind))
      .text_or_null("place", global ? std::string_view() : std::string_view(table.places()[row.place].name))
      .whole("counters", row.members);
}

}  // namespace

void print_stat_start_line(const StatLinesStart& start, Sink& out) {
  Line("start")
      .whole("version", kStatLinesVersion)
      .text("creator", start.creator)
      .text("target", start.target)
      .whole("interval_ns", start.interval_ns == 0 ? std::nullopt : std::optional(start.interval_ns))
      .print(out);
}

void print_stat_count_lines(const StatTable& table, std::span<const StatRow> rows, std::optional<u64> time_ns,
                            Sink& out) {
  for (const StatRow& row : rows) {
    const EventSpec& spec = table.events()[row.event];
    const bool counted = row.state == StatState::Counted;
    Line line("count");
    add_place(line, table, row, time_ns);
    line.text("event", spec.name)
        .text_or_null("cgroup", table.has_cgroups() ? std::string_view(spec.cgroup_name) : std::string_view())
        .text("state", word_of(row.state))
        .number("value", counted ? std::optional(row.value) : std::nullopt)
        .text_or_null("unit", stat_unit(spec))
        .number("deviation_percent", counted && table.runs() > 1 ? std::optional(row.noise_percent) : std::nullopt)
        .whole("enabled_ns", row.enabled_ns)
        .whole("running_ns", row.running_ns)
        .raw("metrics", list(row.metrics.size(),
                             [&](std::size_t i) { return metric_object(row.metrics[i].unit, &row.metrics[i]); }))
        .print(out);
  }
}

void print_stat_metric_lines(const StatTable& table, std::span<const StatRow> rows, std::optional<u64> time_ns,
                             Sink& out) {
  const MetricColumns columns(table, rows);
  for (const MetricColumns::Line& one : columns.lines()) {
    Line line("metrics");
    add_place(line, table, *one.row, time_ns);
    line.raw("metrics", list(one.metrics.size(),
                             [&](std::size_t i) { return metric_object(columns.titles()[i], one.metrics[i]); }))
        .print(out);
  }
}

void print_stat_port_lines(std::span<const PortTraffic> traffic, std::optional<u64> time_ns, Sink& out) {
  for (const PortTraffic& port : traffic) {
    const auto amount = [&](std::size_t i) {
      const PortTraffic::Amount& at = port.amounts[i];
      return std::move(Line("amount")
                           .text("name", kPortFigures[i].title)
                           .text("state", word_of(at.state))
                           .number("mib", at.state == StatState::Counted ? std::optional(at.mb) : std::nullopt))
          .object();
    };
    Line("port")
        .whole("time_ns", time_ns)
        .text("port", port.port)
        .raw("amounts", list(port.amounts.size(), amount))
        .print(out);
  }
}

void print_stat_distribution_line(const ValueDistribution& distribution, std::optional<u64> time_ns, Sink& out) {
  const std::vector<ValueRange> ranges = distribution.ranges();
  const auto end = [](const std::string& number) -> std::string_view {
    return number.empty() ? std::string_view("null") : std::string_view(number);
  };
  const auto range = [&](std::size_t i) {
    return std::move(Line("range")
                         .raw("low", end(ranges[i].low))
                         .raw("high", end(ranges[i].high))
                         .whole("count", ranges[i].count))
        .object();
  };
  Line("distribution")
      .whole("time_ns", time_ns)
      .text("field", distribution.name())
      .whole("values", distribution.values())
      .number("average", distribution.values() == 0 ? std::nullopt : std::optional(distribution.average()))
      .raw("ranges", list(ranges.size(), range))
      .print(out);
}

void print_stat_comparison_lines(std::span<const VersusRow> rows, Sink& out) {
  for (const VersusRow& row : rows)
    Line("comparison")
        .text("name", row.name)
        .text_or_null("unit", row.unit)
        .whole("pairs", row.pairs)
        .number("mean_a", row.mean_a)
        .number("mean_b", row.mean_b)
        .number("ratio", row.ratio)
        .text("interval_of", row.ratio ? "ratio" : "difference")
        .number("low", row.low)
        .number("high", row.high)
        .number("chance", row.chance)
        .text("verdict", versus_verdict(row))
        .print(out);
}

void print_stat_end_line(const StatLinesEnd& end, Sink& out) {
  Line("end")
      .whole("runs", end.runs)
      .number("elapsed_ns", end.elapsed_ns)
      .number("user_ns", end.user_ns)
      .number("system_ns", end.system_ns)
      .print(out);
}

}  // namespace peregrine
