// Metrics: the sums over a row's samples that a report can show, as a table.
#pragma once
#include <span>
#include <string_view>

#include "base/types.h"

namespace peregrine {

enum class Metric : u8 {
  Overhead,
  OverheadSys,
  OverheadUser,
  OverheadGuestSys,
  OverheadGuestUser,
  OverheadChildren,
  Samples,
  Period,
  Latency,  // each sample's period divided by the number of running threads: the row's cost in wall-clock time
  Weight1,  // mean weights of the samples: access latency, instruction latency, and a third on some processors
  Weight2,
  Weight3,
  FirstAccessPart,  // from here on: parts of breakdowns, by index (access_parts.h)
};

struct MetricSpec {
  Metric metric;
  std::string_view name;
  bool percent;
  bool mean = false;  // of the samples, in tenths
};

const MetricSpec& spec_of(Metric metric);
std::span<const MetricSpec> all_metrics();  // without the parts of breakdowns

}  // namespace peregrine
