#include "output/json/versus_json.h"

#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <string>

#include "output/json/json_text.h"
#include "output/text/stat/versus_table.h"

namespace peregrine {

namespace {

std::string number_or_null(std::optional<double> number, const char* format = "{:.6g}") {
  return number && std::isfinite(*number) ? fmt::format(fmt::runtime(format), *number) : std::string("null");
}

}  // namespace

void print_versus_json(std::span<const VersusRow> rows, Sink& out) {
  for (const VersusRow& row : rows) {
    out.format("{{\"name\" : \"{}\", \"unit\" : \"{}\", \"runs\" : {}, \"mean-a\" : {}, \"mean-b\" : {}, ",
               json_escaped(row.name), json_escaped(row.unit), row.pairs, number_or_null(row.mean_a, "{:f}"),
               number_or_null(row.mean_b, "{:f}"));
    const char* kind = row.ratio ? "ratio" : "difference";
    out.format("\"ratio\" : {}, \"{}-low\" : {}, \"{}-high\" : {}, ", number_or_null(row.ratio), kind,
               number_or_null(row.low), kind, number_or_null(row.high));
    out.format("\"chance\" : {}, \"verdict\" : \"{}\"}}\n", number_or_null(row.chance, "{:.4g}"), versus_verdict(row));
  }
}

}  // namespace peregrine
