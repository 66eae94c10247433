#include "analysis/hist/key/metric.h"

#include <algorithm>
#include <array>

#include "analysis/hist/key/access_parts.h"

namespace peregrine {
namespace {

constexpr std::array kMetrics{
    MetricSpec{Metric::Overhead, "overhead", true},
    MetricSpec{Metric::OverheadSys, "overhead_sys", true},
    MetricSpec{Metric::OverheadUser, "overhead_us", true},
    MetricSpec{Metric::OverheadGuestSys, "overhead_guest_sys", true},
    MetricSpec{Metric::OverheadGuestUser, "overhead_guest_us", true},
    MetricSpec{Metric::OverheadChildren, "overhead_children", true},
    MetricSpec{Metric::Samples, "sample", false},
    MetricSpec{Metric::Period, "period", false},
    MetricSpec{Metric::Latency, "latency", true},
    MetricSpec{Metric::Weight1, "weight1", false, true},
    MetricSpec{Metric::Weight2, "weight2", false, true},
    MetricSpec{Metric::Weight3, "weight3", false, true},
};

}  // namespace

const MetricSpec& spec_of(Metric metric) {
  if (is_access_part(metric)) return access_part_spec(access_part_index(metric));
  return *std::ranges::find(kMetrics, metric, &MetricSpec::metric);
}
std::span<const MetricSpec> all_metrics() { return kMetrics; }

}  // namespace peregrine
