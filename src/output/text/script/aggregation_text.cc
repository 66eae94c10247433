#include "output/text/script/aggregation_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/stat/value_distribution.h"
#include "output/text/format/printable.h"
#include "output/text/stat/value_text.h"

namespace peregrine {

namespace {

std::string cell_text(const Aggregate& aggregate, const AggregateValue& value, u64 elapsed) {
  switch (aggregate.kind) {
    case AggregateKind::Count:
      return fmt::to_string(value.count);
    case AggregateKind::Rate:
      if (elapsed == 0) return "-";
      return fmt::format("{:.1f}", aggregate_number(aggregate, value) * 1e9 / static_cast<double>(elapsed));
    default:
      break;
  }
  if (value.count == 0) return "-";
  if (aggregate.kind == AggregateKind::Average) return fmt::format("{:.1f}", aggregate_number(aggregate, value));
  if (aggregate.kind == AggregateKind::First || aggregate.kind == AggregateKind::Last) return printable(value.text);
  return fmt::to_string(value.number);
}

// "max(duration), ns". The first and last value are shown as in lines.
std::string titled(const Aggregate& aggregate) {
  if (!aggregate.of || !aggregate.of->is_time()) return aggregate.title;
  const AggregateKind kind = aggregate.kind;
  if (kind == AggregateKind::Count) return aggregate.title;
  const bool as_in_lines = kind == AggregateKind::First || kind == AggregateKind::Last;
  const std::string_view unit = as_in_lines ? "ms" : kind == AggregateKind::Rate ? "ns/s" : "ns";
  return fmt::format("{}, {}", aggregate.title, unit);
}

// Columns of aggregates are right-aligned, those of keys left-aligned.
class Cells {
 public:
  explicit Cells(std::size_t aggregates) : aggregates_(aggregates) {}

  void add(std::vector<std::string> line) {
    widths_.resize(std::max(widths_.size(), line.size()));
    for (std::size_t i = 0; i < line.size(); ++i) widths_[i] = std::max(widths_[i], display_width(line[i]));
    lines_.push_back(std::move(line));
  }
  void print(Sink& out) const {
    for (const auto& line : lines_) {
      for (std::size_t i = 0; i < line.size(); ++i) {
        const std::string gap(widths_[i] - display_width(line[i]), ' ');
        out.append(i == 0 ? " " : "  ");
        if (i < aggregates_)
          out.append(gap + line[i]);
        else
          out.append(i + 1 < line.size() ? line[i] + gap : line[i]);
      }
      out.append('\n');
    }
  }

 private:
  std::size_t aggregates_;
  std::vector<std::size_t> widths_;
  std::vector<std::vector<std::string>> lines_;
};

std::vector<std::string> keys_of(const AggregateRow& row) {
  std::vector<std::string> keys;
  for (const std::string& key : row.keys) keys.push_back(printable(key));
  return keys;
}

void print_histogram(const Aggregate& aggregate, const AggregateRow& row, const AggregateValue& value, Sink& out) {
  std::string name = titled(aggregate);
  const auto keys = keys_of(row);
  for (std::size_t i = 0; i < keys.size(); ++i) name += (i == 0 ? " of " : ", ") + keys[i];
  ValueDistribution distribution(std::move(name), true, {});
  distribution.add(value.values);
  print_value_text(distribution, out);
}

}  // namespace

void print_aggregation(const Aggregation& aggregation, u64 elapsed, Sink& out) {
  const AggregationPlan& plan = aggregation.plan();
  std::vector<std::size_t> shown;
  for (std::size_t i = 0; i < plan.aggregates.size(); ++i)
    if (plan.aggregates[i].kind != AggregateKind::Histogram) shown.push_back(i);
  const auto rows = aggregation.rows();
  if (!shown.empty()) {
    Cells cells(shown.size());
    std::vector<std::string> titles;
    for (const std::size_t i : shown) titles.push_back(titled(plan.aggregates[i]));
    for (const Expression& key : plan.keys) titles.push_back(key.text() + (key.is_time() ? ", ms" : ""));
    cells.add(std::move(titles));
    for (const AggregateRow* row : rows) {
      std::vector<std::string> line;
      for (const std::size_t i : shown) line.push_back(cell_text(plan.aggregates[i], row->values[i], elapsed));
      for (std::string& key : keys_of(*row)) line.push_back(std::move(key));
      cells.add(std::move(line));
    }
    cells.print(out);
  }
  bool after_table = !shown.empty();
  for (std::size_t i = 0; i < plan.aggregates.size(); ++i) {
    if (plan.aggregates[i].kind != AggregateKind::Histogram) continue;
    for (const AggregateRow* row : rows) {
      if (row->values[i].count == 0) continue;
      if (std::exchange(after_table, false)) out.append('\n');
      print_histogram(plan.aggregates[i], *row, row->values[i], out);
    }
  }
}

}  // namespace peregrine
