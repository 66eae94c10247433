#include "analysis/hist/key/columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <expected>
#include <ranges>
#include <utility>

#include "analysis/hist/key/access_parts.h"
#include "base/nearest.h"
#include "base/text/ascii.h"

namespace peregrine {
namespace {

// linux-perf lists these among its keys, but rejects them.
constexpr std::array<std::string_view, 2> kColumnsOfItsOwn{"ipc_null", "ipc_lbr"};

bool abbreviates(std::string_view token, std::string_view name) {
  return equal_any_case(token, name.substr(0, token.size()));
}

std::string nearest_name(std::string_view token, std::span<const SortKeySpec> keys) {
  const auto best = nearest(token, column_words(keys));
  return best ? fmt::format("did you mean '{}'?", *best) : "`report -h sort` lists the keys";
}

// Keys take precedence over metrics: "s" is symbol, not sample.
std::optional<Column> find_column(std::string_view token, std::span<const SortKeySpec> keys) {
  for (const SortKeySpec& spec : keys)
    if (abbreviates(token, spec.name)) return column_of(spec);
  for (const MetricSpec& spec : all_metrics())
    if (abbreviates(token, spec.name)) return column_of(spec.metric);
  return std::nullopt;
}

// The parts of the breakdown with that name; empty if there is no such breakdown.
std::vector<Column> parts_named(std::string_view token) {
  std::vector<Column> parts;
  for (const Breakdown& each : all_breakdowns())
    for (std::size_t at = 0; each.name == token && at < each.count; ++at)
      parts.push_back(column_of(access_part(each.first + at)));
  return parts;
}

constexpr std::string_view kFields = "--fields";

// "snoop" is also a sort key. In a field list it means the breakdown only if the list has another breakdown.
bool breaks_down(std::string_view list, std::span<const SortKeySpec> keys) {
  for (const Breakdown& each : all_breakdowns()) {
    if (find_column(each.name, keys)) continue;
    for (const auto word : std::views::split(list, ','))
      if (std::string_view(word.begin(), word.end()) == each.name) return true;
  }
  return false;
}

// Parses one list item: a column, a breakdown (several columns) or tracepoint fields. Errors: Usage.
Result<std::vector<Column>> parse_word(std::string_view token, std::string_view option, const ColumnRequest& request) {
  const std::optional<Column> column = find_column(token, request.keys);
  if (column) {
    if (column->is_metric || !column->key->needs.has(KeyNeed::Branches) || request.branches)
      return std::vector{*column};
    auto error = fail(ErrorKind::Usage, "Invalid {} key: `{}'", option, token);
    error.error().hint = "this key requires branches: record with -b, and report with -b";
    return error;
  }
  std::vector<Column> fields = parts_named(token);
  if (fields.empty() && request.dynamic != nullptr)
    for (const SortKey key : request.dynamic->find(token)) fields.push_back(column_of(key));
  if (!fields.empty()) return fields;
  auto error = fail(ErrorKind::Usage, "Unknown {} key: `{}'", option, token);
  const bool own_column = std::ranges::find(kColumnsOfItsOwn, token) != kColumnsOfItsOwn.end();
  error.error().hint = own_column ? "not a sort key: `report --total-cycles` shows the cycles of code"
                                  : nearest_name(token, request.keys);
  return error;
}

// The distinct columns of a list, and the hierarchy levels that its keys form; `{a,b}` puts keys on one level.
class ColumnList {
 public:
  Result<> parse(std::string_view list, std::string_view option, const ColumnRequest& request);
  std::vector<Column> columns;
  std::vector<std::vector<SortKey>> levels;

 private:
  void add(Column column);
  bool joins_ = false;  // the next key belongs to the last level
};

void ColumnList::add(Column column) {
  if (std::ranges::find(columns, column) != columns.end()) return;
  columns.push_back(column);
  if (column.is_metric) return;
  if (!joins_) levels.emplace_back();
  levels.back().push_back(column.key);
}

Result<> ColumnList::parse(std::string_view list, std::string_view option, const ColumnRequest& request) {
  bool braced = false;
  const bool broken_down = option == kFields && breaks_down(list, request.keys);
  for (std::size_t at = 0; at < list.size();) {
    const std::size_t end = std::min(list.find_first_of(", {}", at), list.size());
    const std::string_view token = list.substr(at, end - at);
    if (!token.empty()) {
      std::vector<Column> parts = broken_down ? parts_named(token) : std::vector<Column>();
      const auto parsed = parts.empty() ? parse_word(token, option, request) : std::move(parts);
      if (!parsed) return std::unexpected(parsed.error());
      for (const Column& column : *parsed) {
        const std::size_t before = levels.size();
        add(column);
        joins_ = braced && (joins_ || levels.size() > before);
      }
    }
    if (end < list.size() && list[end] != ',' && list[end] != ' ') {
      braced = list[end] == '{';
      joins_ = false;
    }
    at = end + 1;
  }
  return {};
}

void add_once(std::vector<Column>& to, Column column) {
  if (std::ranges::find(to, column) == to.end()) to.push_back(column);
}

std::vector<Column> standing_metrics(const ColumnRequest& request) {
  std::vector<Column> result;
  if (request.latency) result.push_back(column_of(Metric::Latency));
  if (request.children) result.push_back(column_of(Metric::OverheadChildren));
  result.push_back(column_of(Metric::Overhead));
  if (request.show_cpu_utilization)
    for (const Metric metric : {Metric::OverheadSys, Metric::OverheadUser}) result.push_back(column_of(metric));
  if (request.show_samples) result.push_back(column_of(Metric::Samples));
  if (request.show_period) result.push_back(column_of(Metric::Period));
  return result;
}

}  // namespace

std::vector<std::string_view> column_words(std::span<const SortKeySpec> keys) {
  std::vector<std::string_view> words;
  const auto add = [&](std::string_view name) {
    if (std::ranges::find(words, name) == words.end()) words.push_back(name);
  };
  for (const SortKeySpec& spec : keys) add(spec.name);
  for (const MetricSpec& spec : all_metrics()) add(spec.name);
  for (const Breakdown& each : all_breakdowns()) add(each.name);
  return words;
}

std::vector<std::string_view> column_words() { return column_words(all_sort_keys()); }

Result<Columns> parse_columns(const ColumnRequest& request) {
  Columns result;
  ColumnList sorted_list, shown_list;
  const bool strict = request.fields && !request.fields->starts_with('+');
  if (request.sort || !strict) {
    std::string list = request.default_sort;
    if (request.sort) list = request.sort->starts_with('+') ? list + "," + request.sort->substr(1) : *request.sort;
    PEREGRINE_TRY(sorted_list.parse(list, "--sort", request));
  }
  const std::vector<Column>& sorted = sorted_list.columns;
  result.levels = sorted_list.levels;
  if (request.fields) {
    const std::string_view list = *request.fields;
    PEREGRINE_TRY(shown_list.parse(list.starts_with('+') ? list.substr(1) : list, kFields, request));
    if (list.starts_with('+')) result.shown = standing_metrics(request);
    for (const Column& column : shown_list.columns) add_once(result.shown, column);
  } else {
    result.shown = standing_metrics(request);
  }
  // Unless -F gives all columns or -s mentions overhead itself, rows are ordered by their sums first.
  const auto mentions = [&](std::string_view word) { return request.sort && request.sort->contains(word); };
  if (!strict && request.latency) add_once(result.order, column_of(Metric::Latency));
  if (!strict && request.children && !mentions("overhead_children"))
    add_once(result.order, column_of(Metric::OverheadChildren));
  if (!strict && !mentions("overhead")) add_once(result.order, column_of(Metric::Overhead));
  // A breakdown splits the row's sum; order rows by the sum, not by its parts.
  const auto add_to_order = [&](const Column& column) {
    const bool part = column.is_metric && is_access_part(column.metric);
    add_once(result.order, part ? column_of(Metric::Overhead) : column);
  };
  std::ranges::for_each(sorted, add_to_order);
  for (const Column& column : sorted) add_once(result.shown, column);
  std::ranges::for_each(result.shown, add_to_order);
  for (const Column& column : result.shown)
    if (!column.is_metric) result.keys.push_back(column.key);
  if (request.dynamic != nullptr) result.fields = request.dynamic->columns();
  return result;
}

}  // namespace peregrine
