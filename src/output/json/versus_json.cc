#include "output/json/versus_json.h"

#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <string>
#include <string_view>

#include "output/json/json_document.h"
#include "output/text/stat/versus_table.h"

namespace peregrine {

namespace {

std::string number_or_null(std::optional<double> number, const char* format) {
  return number && std::isfinite(*number) ? fmt::format(fmt::runtime(format), *number) : std::string("null");
}

}  // namespace

void print_versus_json(std::span<const VersusRow> rows, Sink& out) {
  for (const VersusRow& row : rows) {
    JsonDocument json(out, JsonLayout::Spaced);
    const auto number = [&](std::string_view name, std::optional<double> value, const char* format = "{:.6g}") {
      json.key(name).next().append(number_or_null(value, format));
    };
    const std::string kind = row.ratio ? "ratio" : "difference";
    json.object([&] {
      json.member("name", row.name).member("unit", row.unit).member("runs", row.pairs);
      number("mean-a", row.mean_a, "{:f}");
      number("mean-b", row.mean_b, "{:f}");
      number("ratio", row.ratio);
      number(kind + "-low", row.low);
      number(kind + "-high", row.high);
      number("chance", row.chance, "{:.4g}");
      json.member("verdict", versus_verdict(row));
    });
    out.append('\n');
  }
}

}  // namespace peregrine
