// The rows of a report as JSON: one document with an object per table, or one object per row and line.
//
//   {"tables":[{"event":"cpu-clock","samples":4,"period":1000000,"rows":[{"overhead":100,"comm":"load",…}]}]}
//   {"event":"cpu-clock","overhead":100,"comm":"load",…}
//
// Shares are percentages with full precision; null means unknown or not finite. Pure.
#pragma once
#include "analysis/hist/row/row_value.h"
#include "output/json/json_document.h"
#include "output/sink.h"

namespace peregrine {

class ReportJson {
 public:
  explicit ReportJson(Sink& out) : out_(out), json_(out) {}
  void print(const NamedRows& table);
  // Call once, after the last table. Nothing is written before the first table or this call.
  void finish();

 private:
  void begin();

  Sink& out_;
  JsonDocument json_;
  bool begun_ = false;
};

void print_report_lines(Sink& out, const NamedRows& table);

}  // namespace peregrine
