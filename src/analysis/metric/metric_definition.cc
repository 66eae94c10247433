#include "analysis/metric/metric_definition.h"

#include <charconv>

namespace peregrine {

MetricScale metric_scale(std::string_view text) {
  MetricScale scale;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), scale.factor);
  if (error != std::errc()) scale.factor = 1;
  scale.unit = error == std::errc() ? std::string(end, text.data() + text.size()) : std::string(text);
  return scale;
}

}  // namespace peregrine
