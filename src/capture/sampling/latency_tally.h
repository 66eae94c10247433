// LatencyTally: statistics of the retire latency of one event's samples, in cycles: mean, extremes and the newest.
#pragma once
#include <algorithm>
#include <cstddef>
#include <limits>

#include "base/types.h"
#include "sys/process/process.h"

namespace peregrine {

struct LatencyTally {
  u64 samples = 0, sum = 0;
  u64 min = std::numeric_limits<u64>::max(), max = 0;
  u64 last = 0, last_time = 0;  // of the newest sample, ns

  void add(u64 latency, u64 time) { merge({1, latency, latency, latency, latency, time}); }
  void merge(const LatencyTally& other) {
    if (other.samples == 0) return;
    if (samples == 0 || other.last_time >= last_time) {
      last = other.last;
      last_time = other.last_time;
    }
    samples += other.samples;
    sum += other.sum;
    min = std::min(min, other.min);
    max = std::max(max, other.max);
  }
};

// The tally of an event on one CPU or thread.
struct LatencyReading {
  std::size_t event = 0;  // index in the list
  int cpu = -1;           // -1: any CPU
  Pid thread = -1;        // -1: every thread
  LatencyTally tally;
};

}  // namespace peregrine
