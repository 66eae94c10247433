#include "output/json/report_json.h"

#include <cmath>

#include "output/json/json_text.h"

namespace peregrine {
namespace {

struct ValuePrinter {
  Sink& out;
  void operator()(std::monostate) const { out.append("null"); }
  void operator()(u64 value) const { out.decimal(value); }
  void operator()(i64 value) const { out.decimal_signed(value); }
  void operator()(double value) const { std::isfinite(value) ? out.format("{}", value) : out.append("null"); }
  void operator()(const std::string& value) const { out.append('"').append(json_escaped(value)).append('"'); }
};

void print_values(Sink& out, const NamedRows& table, const std::vector<RowValue>& values) {
  for (std::size_t at = 0; at < values.size(); ++at) {
    out.append(at == 0 ? "\"" : ",\"").append(json_escaped(table.names[at])).append("\":");
    std::visit(ValuePrinter{out}, values[at]);
  }
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
  out_.format("{{\"event\":\"{}\",\"samples\":{},\"period\":{},\"rows\":[", json_escaped(table.event), table.samples,
              table.period);
  bool first = true;
  for (std::size_t row = 0; row < table.size; ++row) {
    const std::vector<RowValue>* const values = table.row(row);
    if (values == nullptr) continue;
    out_.append(first ? "\n{" : ",\n{");
    first = false;
    print_values(out_, table, *values);
    out_.append('}');
  }
  out_.append("]}");
}

void print_report_lines(Sink& out, const NamedRows& table) {
  const std::string head = fmt::format("{{\"event\":\"{}\",", json_escaped(table.event));
  for (std::size_t row = 0; row < table.size; ++row) {
    const std::vector<RowValue>* const values = table.row(row);
    if (values == nullptr) continue;
    out.append(head);
    print_values(out, table, *values);
    out.append("}\n");
  }
}

}  // namespace peregrine
