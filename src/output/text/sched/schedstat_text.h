// The tables of `sched stats`: counters of CPUs and scheduling domains, of one recording or two side by side.
#pragma once
#include "analysis/sched/schedstat_change.h"
#include "output/sink.h"

namespace peregrine {

void print_schedstats(const SchedstatChange& change, Sink& out);
// Shows `after` relative to `before`.
void print_schedstat_difference(const SchedstatChange& before, const SchedstatChange& after, Sink& out);

}  // namespace peregrine
