#include "analysis/metric/metric_definition.h"

#include "base/number/real_number.h"

namespace peregrine {

MetricScale metric_scale(std::string_view text) {
  MetricScale scale;
  if (const auto factor = take_finite(text)) scale.factor = *factor;
  scale.unit = text;
  return scale;
}

}  // namespace peregrine
