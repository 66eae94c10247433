// The table of `sched latency`, in linux-perf's layout.
#pragma once
#include <vector>

#include "analysis/sched/delay_histogram.h"
#include "analysis/sched/sched_latency.h"
#include "output/sink.h"

namespace peregrine {

void print_sched_latency(const SchedLatency& latency, const std::vector<SchedLatencyRow>& rows, Sink& out);
// The distribution of delays as bars.
void print_delay_histogram(const DelayHistogram& histogram, Sink& out);

}  // namespace peregrine
