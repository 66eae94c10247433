#include "output/csv/report_csv.h"

#include <cmath>
#include <cstddef>
#include <string>
#include <variant>
#include <vector>

#include "base/types.h"
#include "output/csv/csv_text.h"

namespace peregrine {
namespace {

struct FieldPrinter {
  Sink& out;
  void operator()(std::monostate) const {}
  void operator()(u64 value) const { out.decimal(value); }
  void operator()(i64 value) const { out.decimal_signed(value); }
  void operator()(double value) const {
    if (std::isfinite(value)) out.format("{}", value);
  }
  void operator()(const std::string& value) const { out.append(csv_field(value)); }
};

}  // namespace

void print_report_csv(Sink& out, const NamedRows& table, bool titles) {
  if (titles) {
    out.append("event");
    for (const std::string& name : table.names) out.append(',').append(csv_field(name));
    out.append('\n');
  }
  const std::string event = csv_field(table.event);
  for (std::size_t row = 0; row < table.size; ++row) {
    const std::vector<RowValue>* const values = table.row(row);
    if (values == nullptr) continue;
    out.append(event);
    for (const RowValue& value : *values) {
      out.append(',');
      std::visit(FieldPrinter{out}, value);
    }
    out.append('\n');
  }
}

}  // namespace peregrine
