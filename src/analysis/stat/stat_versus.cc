#include "analysis/stat/stat_versus.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "analysis/stat/run_stats.h"
#include "analysis/stat/stat_metric.h"
#include "analysis/stat/student.h"
#include "event/spec.h"

namespace peregrine {

namespace {

constexpr double kConfidence = 0.95;

struct Spread {
  double mean = 0, error = 0;  // standard error of the mean
};

Spread spread_of(const std::vector<double>& values) {
  RunStats stats;
  for (const double value : values) stats.add(value);
  return {stats.mean(), stats.error()};
}

// Per pair: the logarithm of the ratio, or the difference if there are zeros.
std::vector<double> distances(const std::vector<double>& a, const std::vector<double>& b, bool as_ratio) {
  std::vector<double> found;
  for (std::size_t i = 0; i < a.size(); ++i) found.push_back(as_ratio ? std::log(b[i] / a[i]) : b[i] - a[i]);
  return found;
}

bool above_zero(const std::vector<double>& values) {
  return std::ranges::all_of(values, [](double value) { return value > 0; });
}

void judge(const std::vector<double>& a, const std::vector<double>& b, VersusRow& row) {
  const bool as_ratio = above_zero(a) && above_zero(b);
  const Spread spread = spread_of(distances(a, b, as_ratio));
  const auto back = [&](double distance) { return as_ratio ? std::exp(distance) : distance; };
  if (as_ratio) row.ratio = back(spread.mean);
  if (row.pairs < 2) return;
  const auto freedom = static_cast<double>(row.pairs - 1);
  const double reach = student_quantile(kConfidence, freedom) * spread.error;
  row.low = back(spread.mean - reach);
  row.high = back(spread.mean + reach);
  row.chance = spread.error > 0 ? student_two_sided(spread.mean / spread.error, freedom) : spread.mean == 0 ? 1 : 0;
}

// Holm's method: the smallest p-value must be below 5 % ÷ n, the next below 5 % ÷ (n - 1), and so on until one fails.
void decide(std::vector<VersusRow>& rows) {
  std::vector<VersusRow*> by_chance;
  for (VersusRow& row : rows)
    if (row.low) by_chance.push_back(&row);
  std::ranges::sort(by_chance, {}, &VersusRow::chance);
  for (std::size_t i = 0; i < by_chance.size(); ++i) {
    if (by_chance[i]->chance >= (1 - kConfidence) / static_cast<double>(by_chance.size() - i)) return;
    by_chance[i]->is_real = true;
  }
}

}  // namespace

std::vector<StatVersus::Reading> StatVersus::readings_of(const StatTable& table) {
  std::vector<Reading> readings;
  for (const StatRow& row : table.rows()) {
    if (row.state != StatState::Counted) continue;
    const EventSpec& spec = table.events()[row.event];
    readings.push_back({spec.name, std::string(stat_unit(spec)), spec.scale == 1.0, row.value});
    for (const StatMetric& metric : row.metrics)
      if (metric.value && !metric.unit.ends_with("/sec")) {
        const bool needs_event = metric.unit.starts_with("of all");
        readings.push_back({needs_event ? spec.name + " " + metric.unit : metric.unit, "", false, *metric.value});
      }
  }
  readings.push_back({"seconds elapsed", "", false, table.wall().mean() / 1e9});
  return readings;
}

void StatVersus::add_pair(const StatTable& a, const StatTable& b) {
  ++pairs_;
  const auto add = [&](const StatTable& table, std::vector<double> Quantity::* side) {
    for (const Reading& reading : readings_of(table)) {
      // An event may be in the list twice, so take the first quantity without a value for this pair.
      auto quantity = std::ranges::find_if(quantities_, [&](const Quantity& known) {
        return known.name == reading.name && (known.*side).size() < pairs_;
      });
      if (quantity == quantities_.end())
        quantity = quantities_.insert(quantity, {reading.name, reading.unit, reading.whole, {}, {}});
      ((*quantity).*side).push_back(reading.value);
    }
  };
  add(a, &Quantity::a);
  add(b, &Quantity::b);
}

std::vector<VersusRow> StatVersus::rows() const {
  std::vector<VersusRow> rows;
  for (const Quantity& quantity : quantities_) {
    if (quantity.a.size() != pairs_ || quantity.b.size() != pairs_) continue;
    VersusRow row{.name = quantity.name, .unit = quantity.unit, .whole = quantity.whole, .pairs = pairs_};
    row.mean_a = spread_of(quantity.a).mean;
    row.mean_b = spread_of(quantity.b).mean;
    judge(quantity.a, quantity.b, row);
    rows.push_back(std::move(row));
  }
  decide(rows);
  return rows;
}

std::vector<std::string> StatVersus::left_out() const {
  std::vector<std::string> names;
  for (const Quantity& quantity : quantities_)
    if (quantity.a.size() != pairs_ || quantity.b.size() != pairs_) names.push_back(quantity.name);
  return names;
}

}  // namespace peregrine
