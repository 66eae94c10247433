#include "output/json/versus_json.h"

#include <string>

#include "output/json/json_document.h"
#include "output/text/stat/versus_table.h"

namespace peregrine {

void print_versus_json(std::span<const VersusRow> rows, Sink& out) {
  for (const VersusRow& row : rows) {
    JsonDocument json(out, JsonLayout::Spaced);
    const std::string kind = row.ratio ? "ratio" : "difference";
    json.object([&] {
      json.member("name", row.name).member("unit", row.unit).member("runs", row.pairs);
      json.number("mean-a", row.mean_a, "{:f}");
      json.number("mean-b", row.mean_b, "{:f}");
      json.number("ratio", row.ratio, "{:.6g}");
      json.number(kind + "-low", row.low, "{:.6g}");
      json.number(kind + "-high", row.high, "{:.6g}");
      json.number("chance", row.chance, "{:.4g}");
      json.member("verdict", versus_verdict(row));
    });
    out.append('\n');
  }
}

}  // namespace peregrine
