// SampleCoverage: the fraction of the workload's CPU time that its samples represent.
//
// Each thread has its own timer for a clock event, starting from zero: threads shorter than the sampling period are
// never sampled, and the profile does not show it. Pure.
#pragma once
#include <optional>

#include "base/types.h"
#include "event/spec.h"
#include "pipeline/recording/recording.h"

namespace peregrine {

struct SampleCoverage {
  u64 sampled_ns = 0;  // represented by samples
  u64 used_ns = 0;     // used by the workload and the children it waited for
  u64 period_ns = 0;
  double share() const { return static_cast<double>(sampled_ns) / static_cast<double>(used_ns); }
};

// Nothing unless reliable: requires a single clock event that covers the workload and its children completely, without
// losses, for long enough.
std::optional<SampleCoverage> sample_coverage(const EventList& events, const RecordingSummary& summary);

}  // namespace peregrine
