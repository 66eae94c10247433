// RowsWriter: tables of named rows as csv, json or jsonl, one after the other.
#pragma once
#include <optional>
#include <string_view>

#include "analysis/hist/row_value.h"
#include "output/csv/report_csv.h"
#include "output/json/report_json.h"

namespace peregrine::cmd {

class RowsWriter {
 public:
  RowsWriter(std::string_view format, Sink& out) : out_(out), csv_(format == "csv") {
    if (format == "json") document_.emplace(out);
  }
  void print(const NamedRows& table) {
    if (document_)
      document_->print(table);
    else if (csv_)
      print_report_csv(out_, table, first_);
    else
      print_report_lines(out_, table);
    first_ = false;
  }
  // Once, behind the last table.
  void finish() {
    if (document_) document_->finish();
  }

 private:
  Sink& out_;
  std::optional<ReportJson> document_;
  bool csv_, first_ = true;
};

}  // namespace peregrine::cmd
