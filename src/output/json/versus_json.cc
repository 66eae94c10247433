#include "output/json/versus_json.h"

#include "output/json/json_text.h"
#include "output/text/stat/versus_table.h"

namespace peregrine {

namespace {

std::string number_or_null(const std::optional<double>& number) {
  return number ? fmt::format("{:.6g}", *number) : std::string("null");
}

}  // namespace

void print_versus_json(std::span<const VersusRow> rows, Sink& out) {
  for (const VersusRow& row : rows) {
    out.format("{{\"name\" : \"{}\", \"unit\" : \"{}\", \"runs\" : {}, \"mean-a\" : {:f}, \"mean-b\" : {:f}, ",
               json_escaped(row.name), json_escaped(row.unit), row.pairs, row.mean_a, row.mean_b);
    const char* kind = row.ratio ? "ratio" : "difference";
    out.format("\"ratio\" : {}, \"{}-low\" : {}, \"{}-high\" : {}, ", number_or_null(row.ratio), kind,
               number_or_null(row.low), kind, number_or_null(row.high));
    out.format("\"chance\" : {:.4g}, \"verdict\" : \"{}\"}}\n", row.chance, versus_verdict(row));
  }
}

}  // namespace peregrine
