#include "analysis/metric/metric_definition.h"

#include "base/number/parse_number.h"

namespace peregrine {

MetricScale metric_scale(std::string_view text) {
  MetricScale scale;
  scale.factor = take_number<double>(text).value_or(1);
  scale.unit = text;
  return scale;
}

}  // namespace peregrine
