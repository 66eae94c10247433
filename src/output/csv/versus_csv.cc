#include "output/csv/versus_csv.h"

#include <fmt/format.h>

#include <cstddef>
#include <optional>
#include <vector>

#include "output/text/stat/versus_table.h"

namespace peregrine {

namespace {

std::string optional_number(const std::optional<double>& number) {
  return number ? fmt::format("{:.6g}", *number) : std::string();
}

}  // namespace

void print_versus_csv(std::span<const VersusRow> rows, const std::string& separator, Sink& out) {
  const auto line = [&](const std::vector<std::string>& fields) {
    for (std::size_t i = 0; i < fields.size(); ++i) out.append(i == 0 ? "" : separator).append(fields[i]);
    out.append('\n');
  };
  line({"name", "unit", "runs", "mean-a", "mean-b", "ratio", "low", "high", "chance", "verdict"});
  for (const VersusRow& row : rows)
    line({row.name, row.unit, fmt::format("{}", row.pairs), fmt::format("{:f}", row.mean_a),
          fmt::format("{:f}", row.mean_b), optional_number(row.ratio), optional_number(row.low),
          optional_number(row.high), fmt::format("{:.4g}", row.chance), std::string(versus_verdict(row))});
}

}  // namespace peregrine
