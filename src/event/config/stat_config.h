// stat's part of the attrs: the default event sets and the counting fields, as linux-perf 6.1 asks for them. Pure.
#pragma once
#include "base/result.h"
#include "event/source.h"
#include "event/spec.h"

namespace peregrine {

struct StatOptions {
  bool workload = true;  // no -a, -C, -p, -t: a command of ours is counted from its exec
  i64 initial_delay_ms = 0;
  bool inherit = true;  // not -i
  bool all_user = false, all_kernel = false;
  bool group = false;  // --group
};

// Appends the default set when `list` is empty (without -e), and the events of `detail` times -d (0 to 3). The default
// set begins with cpu-clock for `system_wide`, with task-clock otherwise; stalled cycles only where the CPU's PMU names
// them.
void add_stat_events(EventSources& sources, bool system_wide, int detail, EventList& list);

// Sets every counting field. Errors (Usage): a term that only makes sense when recording ("freq").
Result<> configure_for_stat(const StatOptions& options, EventList& list);

}  // namespace peregrine
