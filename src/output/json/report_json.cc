#include "output/json/report_json.h"

#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
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
  if (!std::exchange(begun_, true)) json_.begin_object().key("tables").begin_array();
}

void ReportJson::finish() {
  begin();
  json_.line().end_array().end_object();
  out_.append('\n');
}

void ReportJson::print(const NamedRows& table) {
  begin();
  json_.line().object([&] {
    json_.member("event", table.event).member("samples", table.samples).member("period", table.period);
    json_.array("rows", [&] {
      std::string text;
      for (std::size_t row = 0; row < table.size; ++row) {
        const std::vector<RowValue>* const values = table.row(row);
        if (values == nullptr) continue;
        append_values(text = "{", table, *values);
        json_.line().next().append(text);
      }
    });
  });
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
