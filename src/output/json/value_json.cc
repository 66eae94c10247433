#include "output/json/value_json.h"

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "base/types.h"
#include "output/json/json_text.h"

namespace peregrine {

void print_value_json(const ValueDistribution& distribution, Sink& out, std::optional<u64> interval_ns) {
  const auto end = [](const std::string& number) { return number.empty() ? std::string("null") : number; };
  out.append("{");
  if (interval_ns)
    out.append(fmt::format("\"interval\" : {}.{:09}, ", *interval_ns / 1000000000, *interval_ns % 1000000000));
  out.append(fmt::format(R"("field" : "{}", "values" : {}, "average" : {:.1f}, "ranges" : [)",
                         json_escaped(distribution.name()), distribution.values(), distribution.average()));
  std::string_view between;
  for (const ValueRange& range : distribution.ranges()) {
    out.append(fmt::format(R"({}{{"low" : {}, "high" : {}, "count" : {}}})", between, end(range.low), end(range.high),
                           range.count));
    between = ", ";
  }
  out.append("]}\n");
}

}  // namespace peregrine
