#include "analysis/metric/metric_definition.h"

#include <cmath>

#include "base/number/parse_number.h"

namespace peregrine {

MetricScale metric_scale(std::string_view text) {
  MetricScale scale;
  // A unit may begin like a number: "nanoseconds" like nan.
  std::string_view unit = text;
  if (const auto factor = take_number<double>(unit); factor && std::isfinite(*factor)) {
    scale.factor = *factor;
    text = unit;
  }
  scale.unit = text;
  return scale;
}

}  // namespace peregrine
