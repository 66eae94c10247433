#include "output/csv/value_csv.h"

#include <fmt/format.h>

#include <string>

#include "base/types.h"

namespace peregrine {

void print_value_csv(const ValueDistribution& distribution, std::string_view separator, Sink& out,
                     std::optional<u64> interval_ns) {
  std::string time;
  if (interval_ns) time = fmt::format("{:6}.{:09}{}", *interval_ns / 1000000000, *interval_ns % 1000000000, separator);
  for (const ValueRange& range : distribution.ranges())
    out.append(fmt::format("{}{}{}{}{}{}{}{}\n", time, range.count, separator, distribution.name(), separator,
                           range.low, separator, range.high));
}

}  // namespace peregrine
