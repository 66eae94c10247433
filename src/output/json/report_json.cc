#include "output/json/report_json.h"

#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/types.h"
#include "output/json/json_line.h"

namespace peregrine {
namespace {

// Appends a value to an object.
struct ValueAppender {
  JsonLine& line;
  std::string_view name;
  void operator()(std::monostate) const { line.raw(name, "null"); }
  void operator()(u64 value) const { line.number(name, value); }
  void operator()(i64 value) const { line.number(name, value); }
  void operator()(double value) const { std::isfinite(value) ? line.number(name, value) : line.raw(name, "null"); }
  void operator()(const std::string& value) const { line.string(name, value); }
};

void append_values(std::string& text, const NamedRows& table, const std::vector<RowValue>& values) {
  JsonLine line(text);
  for (std::size_t at = 0; at < values.size(); ++at) std::visit(ValueAppender{line, table.names[at]}, values[at]);
  text += '}';
}

}  // namespace

void ReportJson::begin() {
  if (first_) out_.append("{\"tables\":[");
}

void ReportJson::finish() {
  begin();
  out_.append("\n]}\n");
}

void ReportJson::print(const NamedRows& table) {
  begin();
  out_.append(first_ ? "\n" : ",\n");
  first_ = false;
  std::string text = "{";
  JsonLine head(text);
  head.string("event", table.event);
  head.number("samples", table.samples);
  head.number("period", table.period);
  head.raw("rows", "[");
  out_.append(text);
  bool first = true;
  for (std::size_t row = 0; row < table.size; ++row) {
    const std::vector<RowValue>* const values = table.row(row);
    if (values == nullptr) continue;
    append_values(text = "{", table, *values);
    out_.append(first ? "\n" : ",\n").append(text);
    first = false;
  }
  out_.append("]}");
}

void print_report_lines(Sink& out, const NamedRows& table) {
  std::string head = "{", text;
  JsonLine(head).string("event", table.event);
  for (std::size_t row = 0; row < table.size; ++row) {
    const std::vector<RowValue>* const values = table.row(row);
    if (values == nullptr) continue;
    append_values(text = head, table, *values);
    out.append(text).append('\n');
  }
}

}  // namespace peregrine
