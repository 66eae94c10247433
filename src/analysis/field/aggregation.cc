#include "analysis/field/aggregation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <expected>
#include <iterator>

#include "base/nearest.h"
#include "base/text/text_cursor.h"
#include "base/text/trim.h"
#include "event/filter/filter_text.h"
#include "event/syntax_error.h"

namespace peregrine {

namespace {

struct AggregateFunction {
  std::string_view name;
  AggregateKind kind;
  bool takes_none = false;  // also without an expression
};
constexpr AggregateFunction kAggregateFunctions[] = {
    {"count", AggregateKind::Count, true}, {"sum", AggregateKind::Sum},     {"min", AggregateKind::Min},
    {"max", AggregateKind::Max},           {"avg", AggregateKind::Average}, {"hist", AggregateKind::Histogram},
    {"rate", AggregateKind::Rate, true},   {"first", AggregateKind::First}, {"last", AggregateKind::Last}};

class SpecParser : TextCursor {
 public:
  SpecParser(std::string_view text, UsedFields& names) : TextCursor(text), names_(names) {}

  Parsed<AggregationPlan> run() {
    do {
      skip_blanks();
      if (auto done = aggregate(); !done) return std::unexpected(std::move(done.error()));
      skip_blanks();
    } while (take(','));
    if (take_keyword("by")) {
      do {
        if (auto done = key(); !done) return std::unexpected(std::move(done.error()));
      } while (take(','));
    }
    if (take_keyword("top")) {
      const std::size_t start = at();
      const auto most = take_number<u32>();
      if (!most || *most == 0) return wrong(start, "expected a number of rows after 'top'");
      plan_.most = *most;
      skip_blanks();
    }
    if (at_end()) return std::move(plan_);
    return wrong(at(), fmt::format("unexpected '{}'", rest().substr(0, rest().find_first_of(" \t"))),
                 "write 'sum(FIELD), max(FIELD) by FIELD, FIELD top N'");
  }

 private:
  bool take_keyword(std::string_view word) {
    if (see_word() != word) return false;
    take(word.size());
    skip_blanks();
    return true;
  }

  Parsed<void> aggregate() {
    const std::size_t start = at();
    const std::string_view name = take_word();
    const auto* const found = std::ranges::find(kAggregateFunctions, name, &AggregateFunction::name);
    if (found == std::end(kAggregateFunctions)) return std::unexpected(unknown_function(name, start));
    Aggregate made{.kind = found->kind, .of = {}, .title = {}};
    if (take('(')) {
      std::size_t column = at();
      auto of = Expression::parse_at(text(), column, names_);
      if (!of) return std::unexpected(std::move(of.error()));
      move_to(column);
      if (!take(')')) return wrong(column, fmt::format("expected ')' after '{}({}'", name, of->text()));
      made.of = std::move(*of);
    } else if (!found->takes_none) {
      return wrong(at(), fmt::format("expected '(' and a field after '{}'", name));
    }
    made.title = text().substr(start, at() - start);
    plan_.aggregates.push_back(std::move(made));
    return {};
  }

  static SyntaxError unknown_function(std::string_view name, std::size_t column) {
    std::vector<std::string_view> known;
    for (const AggregateFunction& each : kAggregateFunctions) known.push_back(each.name);
    SyntaxError error{column,
                      name.empty() ? "expected an aggregate" : fmt::format("unknown aggregate '{}'", name),
                      fmt::format("aggregates: {}", fmt::join(known, ", ")),
                      {}};
    if (const auto near = nearest(name, known)) error.hint = fmt::format("did you mean '{}'?", *near);
    return error;
  }

  Parsed<void> key() {
    skip_blanks();
    std::size_t column = at();
    auto made = Expression::parse_at(text(), column, names_);
    if (!made) return std::unexpected(std::move(made.error()));
    move_to(column);
    plan_.keys.push_back(std::move(*made));
    return {};
  }

  UsedFields& names_;
  AggregationPlan plan_;
};

void add_value(const Aggregate& aggregate, AggregateValue& value, const FieldValues& values) {
  if (!aggregate.of || aggregate.kind == AggregateKind::Count) {
    if (!aggregate.of || aggregate.of->holds(values)) ++value.count;
    return;
  }
  if (aggregate.kind == AggregateKind::First || aggregate.kind == AggregateKind::Last) {
    if (value.count != 0 && aggregate.kind == AggregateKind::First) return;
    std::string text;
    if (!aggregate.of->append(text, values)) return;
    value.text = std::move(text);
    ++value.count;
    return;
  }
  const auto number = aggregate.of->number(values);
  if (!number) return;
  const bool first = value.count++ == 0;
  if (aggregate.kind == AggregateKind::Histogram)
    value.values.add(*number);
  else if (aggregate.kind == AggregateKind::Min)
    value.number = first ? *number : std::min(value.number, *number);
  else if (aggregate.kind == AggregateKind::Max)
    value.number = first ? *number : std::max(value.number, *number);
  else
    value.number += *number;
}

}  // namespace

Result<AggregationPlan> AggregationPlan::parse(std::string_view text, UsedFields& names) {
  auto parsed = SpecParser(text, names).run();
  if (!parsed) return std::unexpected(format_filter_error(text, parsed.error(), "--agg"));
  return std::move(*parsed);
}

void Aggregation::add(const FieldValues& values) {
  key_.clear();
  ends_.clear();
  for (const Expression& key : plan_.keys) {
    const std::size_t start = key_.size();
    if (!key.append(key_, values)) key_.replace(start, key_.npos, "-");
    ends_.push_back(key_.size());
    key_ += '\0';
  }
  auto [found, fresh] = rows_.try_emplace(key_);
  AggregateRow& row = found->second;
  if (fresh) {
    row.values.resize(plan_.aggregates.size());
    std::size_t start = 0;
    for (const std::size_t end : ends_) {
      row.keys.push_back(key_.substr(start, end - start));
      start = end + 1;
    }
  }
  for (std::size_t i = 0; i < row.values.size(); ++i) add_value(plan_.aggregates[i], row.values[i], values);
}

double aggregate_number(const Aggregate& aggregate, const AggregateValue& value) {
  switch (aggregate.kind) {
    case AggregateKind::Sum:
    case AggregateKind::Min:
    case AggregateKind::Max:
      return static_cast<double>(value.number);
    case AggregateKind::Average:
      return value.count == 0 ? 0 : static_cast<double>(value.number) / static_cast<double>(value.count);
    case AggregateKind::Rate:
      return aggregate.of ? static_cast<double>(value.number) : static_cast<double>(value.count);
    default:
      return static_cast<double>(value.count);
  }
}

std::vector<const AggregateRow*> Aggregation::rows() const {
  std::vector<const AggregateRow*> rows;
  for (const auto& [key, row] : rows_) rows.push_back(&row);
  const Aggregate& first = plan_.aggregates.front();
  std::ranges::sort(rows, [&](const AggregateRow* a, const AggregateRow* b) {
    const double left = aggregate_number(first, a->values.front()), right = aggregate_number(first, b->values.front());
    return left != right ? left > right : a->keys < b->keys;
  });
  if (plan_.most != 0 && rows.size() > plan_.most) rows.resize(plan_.most);
  return rows;
}

}  // namespace peregrine
