// stat's part of the attrs: the default events and counting fields, as in linux-perf 6.1. Pure.
#pragma once
#include "base/result.h"
#include "base/types.h"
#include "event/source.h"
#include "event/spec.h"

namespace peregrine {

struct StatOptions {
  bool workload = true;  // none of -a, -C, -p, -t: a command is started and counted from its exec
  i64 initial_delay_ms = 0;
  bool inherit = true;  // not -i
  bool all_user = false, all_kernel = false;
  bool group = false;  // --group
};

// Appends the default set if `list` is empty (no -e), and the events for `detail` times -d (0 to 3). The default set
// starts with cpu-clock if `system_wide`, otherwise task-clock; includes stalled cycles only if the CPU's PMU names
// them.
void add_stat_events(EventSources& sources, bool system_wide, int detail, EventList& list);

// Sets all counting fields. Errors (Usage): a term that only applies to recording ("freq").
Result<> configure_for_stat(const StatOptions& options, EventList& list);

}  // namespace peregrine
