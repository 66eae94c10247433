// SampleCoverage: how much of the CPU time that the workload used its samples stand for.
//
// A thread has a timer of its own for a clock event, and each thread's timer starts anew: threads that live shorter
// than the sampling period are never sampled. A profile without them looks like any other. Pure.
#pragma once
#include <optional>

#include "event/spec.h"
#include "pipeline/recording/recording.h"

namespace peregrine {

struct SampleCoverage {
  u64 sampled_ns = 0;  // what the samples stand for
  u64 used_ns = 0;     // by the workload and those of its children that it waited for
  u64 period_ns = 0;
  double share() const { return static_cast<double>(sampled_ns) / static_cast<double>(used_ns); }
};

// Nothing where it cannot be told for sure: but for one event, of a clock, that follows the workload and its children
// from beginning to end in all they do, without loss, for long enough.
std::optional<SampleCoverage> sample_coverage(const EventList& events, const RecordingSummary& summary);

}  // namespace peregrine
