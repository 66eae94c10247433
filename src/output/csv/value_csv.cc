#include "output/csv/value_csv.h"

namespace peregrine {

void print_value_csv(const ValueDistribution& distribution, std::string_view separator, Sink& out) {
  for (const ValueRange& range : distribution.ranges())
    out.append(fmt::format("{}{}{}{}{}{}{}\n", range.count, separator, distribution.name(), separator, range.low,
                           separator, range.high));
}

}  // namespace peregrine
