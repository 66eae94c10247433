#include "output/json/value_json.h"

#include <string>
#include <string_view>

#include "base/types.h"
#include "output/json/json_document.h"
#include "output/json/stat_json.h"

namespace peregrine {

void print_value_json(const ValueDistribution& distribution, Sink& out, std::optional<u64> interval_ns) {
  JsonDocument json(out, JsonLayout::Spaced);
  const auto limit = [&](std::string_view name, const std::string& number) {
    json.key(name).next().append(number.empty() ? "null" : number);
  };
  json.object([&] {
    put_interval(json, interval_ns);
    json.member("field", distribution.name()).member("values", distribution.values());
    json.key("average").next().format("{:.1f}", distribution.average());
    json.array("ranges", [&] {
      for (const ValueRange& range : distribution.ranges())
        json.object([&] {
          limit("low", range.low);
          limit("high", range.high);
          json.member("count", range.count);
        });
    });
  });
  out.append('\n');
}

}  // namespace peregrine
