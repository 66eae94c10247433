#include "session/field_report.h"

#include <fmt/format.h>

#include <expected>
#include <string_view>

#include "event/filter/filter_text.h"
#include "output/text/script/aggregation_text.h"

namespace peregrine {

namespace {

Result<> parse_condition(std::string_view option, const std::string& text, UsedFields& names,
                         std::optional<Expression>& condition) {
  if (text.empty()) return {};
  auto parsed = Expression::parse(text, names);
  if (!parsed) return std::unexpected(format_filter_error(text, parsed.error(), option));
  condition = std::move(*parsed);
  return {};
}

}  // namespace

Result<FieldReport> FieldReport::make(const FieldReportRequest& request, UsedFields::Source source) {
  if (!request.format.empty() && !request.aggregate.empty())
    return fail(ErrorKind::Usage, "--format cannot be combined with --agg: lines are not shown one by one");
  if (request.interval_ns != 0 && request.aggregate.empty()) return fail(ErrorKind::Usage, "--interval requires --agg");
  FieldReport report{UsedFields(std::move(source))};
  UsedFields& names = report.names_;
  PEREGRINE_TRY(parse_condition("--where", request.where, names, report.where_));
  PEREGRINE_TRY(parse_condition("--from", request.from, names, report.from_));
  PEREGRINE_TRY(parse_condition("--until", request.until, names, report.until_));
  if (!request.format.empty()) {
    auto line = LineTemplate::parse(request.format, names);
    if (!line) return std::unexpected(std::move(line.error()));
    report.line_ = std::move(*line);
  }
  if (!request.aggregate.empty()) {
    auto plan = AggregationPlan::parse(request.aggregate, names);
    if (!plan) return std::unexpected(std::move(plan.error()));
    report.table_.emplace(std::move(*plan));
  }
  report.interval_ = request.interval_ns;
  report.begun_ = !report.from_;
  return report;
}

bool FieldReport::selects(const FieldValues& values) {
  if (ended_) return false;
  if (!begun_) begun_ = from_->holds(values);
  if (!begun_) return false;
  ended_ = until_ && until_->holds(values);
  return !where_ || where_->holds(values);
}

void FieldReport::add(const FieldValues& values, u64 time, Sink& out) {
  tick(time, out);
  table_->add(values);
}

void FieldReport::tick(u64 time, Sink& out) {
  if (!table_) return;
  if (!first_) first_ = begin_ = time;
  if (time > last_) last_ = time;
  if (interval_ == 0 || time < begin_ || time - begin_ < interval_) return;
  print_until(begin_ + interval_, out);
  begin_ += (time - begin_) / interval_ * interval_;
}

void FieldReport::print_until(u64 end, Sink& out) {
  const u64 since = (end - *first_ + 500'000) / 1'000'000;  // ms
  if (interval_ != 0) out.append(fmt::format("{}.{:03} s\n", since / 1000, since % 1000));
  print_aggregation(*table_, end - begin_, out);
  if (interval_ != 0) out.append('\n');
  table_->clear();
}

void FieldReport::finish(Sink& out) {
  if (!table_) return;
  if (!first_) first_ = begin_ = last_ = 0;
  if (interval_ == 0 || !table_->empty()) print_until(last_, out);
}

}  // namespace peregrine
