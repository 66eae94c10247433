// The rows of a report as JSON: one document, an object for each table with its rows, or each row on a line of its own.
//
//   {"tables":[{"event":"cpu-clock","samples":4,"period":1000000,"rows":[{"overhead":100,"comm":"load",…}]}]}
//   {"event":"cpu-clock","overhead":100,"comm":"load",…}
//
// Shares are percent, with all their digits; null is what is not known or not a finite number. Pure.
#pragma once
#include "analysis/hist/row/row_value.h"
#include "output/sink.h"

namespace peregrine {

class ReportJson {
 public:
  explicit ReportJson(Sink& out) : out_(out) {}
  void print(const NamedRows& table);
  // Once, behind the last table. Nothing is written before the first table or this.
  void finish();

 private:
  void begin();

  Sink& out_;
  bool first_ = true;
};

void print_report_lines(Sink& out, const NamedRows& table);

}  // namespace peregrine
