// TraceReport: a FieldReport on the lines of a trace. Copyable until the first line.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/types.h"
#include "output/text/format/script_text.h"
#include "session/field_report.h"
#include "session/trace/trace_fields.h"

namespace peregrine {

class TraceReport {
 public:
  // Errors (Usage): those of FieldReport::make.
  static Result<TraceReport> make(const FieldReportRequest& request, const TraceFieldList& fields) {
    auto report = FieldReport::make(request, fields.source());
    if (!report) return std::unexpected(std::move(report.error()));
    return TraceReport(std::move(*report));
  }

  FieldReport& fields() { return report_; }
  const std::vector<TracePlace>& places() const { return places_; }

 private:
  explicit TraceReport(FieldReport report) : report_(std::move(report)), places_(trace_places(report_.fields())) {}

  FieldReport report_;
  std::vector<TracePlace> places_;
};

}  // namespace peregrine
