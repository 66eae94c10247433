// FieldReport: prints the selected events of a recording or a live trace: as lines of a template (--format), or as a
// table (--agg), which may be printed at intervals.
//
//   event ─▶ selects(): --from, --until, --where ─▶ append_line() or add() ─▶ text
//
// Events must arrive in time order; one thread.
#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/field/aggregation.h"
#include "analysis/field/expression.h"
#include "analysis/field/field_values.h"
#include "base/result.h"
#include "base/types.h"
#include "output/sink.h"
#include "output/text/format/line_template.h"

namespace peregrine {

struct FieldReportRequest {
  std::string format;     // a LineTemplate
  std::string aggregate;  // an AggregationPlan
  std::string where;      // expressions: which events count,
  std::string from;       // the first event, and
  std::string until;      // the last one
  u64 interval_ns = 0;    // 0: one table at the end

  bool has_table() const { return !aggregate.empty(); }
  bool has_conditions() const { return !where.empty() || !from.empty() || !until.empty(); }
  // Whether it prints something else than the usual lines.
  bool prints() const { return !format.empty() || !aggregate.empty() || interval_ns != 0; }
  bool any() const { return prints() || has_conditions(); }
};

class FieldReport {
 public:
  // Errors: Usage, syntax or unknown fields; options that cannot be combined.
  static Result<FieldReport> make(const FieldReportRequest& request, UsedFields::Source source);

  // The fields that it uses, in the order of FieldValues.
  const std::vector<std::string>& fields() const { return names_.used(); }
  // Call once per event.
  bool selects(const FieldValues& values);
  // Whether the event of --from was seen; true without --from.
  bool has_begun() const { return begun_; }
  // Whether the event of --until was seen: no other event is selected.
  bool ended() const { return ended_; }

  bool has_lines() const { return line_.has_value(); }
  void append_line(std::string& out, const FieldValues& values) const { line_->append(out, values); }

  bool has_table() const { return table_.has_value(); }
  // Counts a selected event; prints the tables of the intervals that ended before `time`.
  void add(const FieldValues& values, u64 time, Sink& out);
  // The same without an event.
  void tick(u64 time, Sink& out);
  // Prints the last table.
  void finish(Sink& out);

 private:
  explicit FieldReport(UsedFields names) : names_(std::move(names)) {}
  void print_until(u64 end, Sink& out);

  UsedFields names_;
  std::optional<Expression> where_, from_, until_;
  std::optional<LineTemplate> line_;
  std::optional<Aggregation> table_;
  u64 interval_ = 0;
  std::optional<u64> first_;  // the time of the first event
  u64 begin_ = 0, last_ = 0;  // of this table, ns
  bool begun_ = false, ended_ = false;
};

}  // namespace peregrine
