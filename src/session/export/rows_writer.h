// RowsWriter: writes tables of named rows as csv, json or jsonl, one after another.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/hist/row/row_value.h"
#include "output/json/report_json.h"
#include "output/sink.h"

namespace peregrine {

class RowsWriter {
 public:
  RowsWriter(std::string_view format, Sink& out) : out_(out), csv_(format == "csv") {
    if (format == "json") document_.emplace(out);
  }
  // CSV tables share one header line. If tables may have different columns, announce all columns before printing the
  // first table; missing values are empty.
  bool wants_names() const { return csv_; }
  void expect(const std::vector<std::string>& names);
  void print(const NamedRows& table) {
    if (document_)
      document_->print(table);
    else if (csv_)
      print_csv(table);
    else
      print_report_lines(out_, table);
    first_ = false;
  }
  // Call once, after the last table.
  void finish() {
    if (document_) document_->finish();
  }

 private:
  void print_csv(const NamedRows& table);

  Sink& out_;
  std::optional<ReportJson> document_;
  bool csv_, first_ = true;
  std::vector<std::string> expected_;
};

}  // namespace peregrine
