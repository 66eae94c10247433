// stat's part of the attrs: the default event sets and the counting fields, as linux-perf 6.1 asks for them. Pure.
#pragma once
#include "base/result.h"
#include "event/source.h"
#include "event/spec.h"

namespace peregrine {

struct StatOptions {
  bool workload = true;  // a command is started by us: enable_on_exec
  i64 initial_delay_ms = 0;
  bool inherit = true;
  bool all_user = false, all_kernel = false;
  bool per_thread_or_record = false;  // counts carry ids: stat record
};

// The set counted when -e is not given; `detail` is the number of -d (0–3).
EventList default_stat_events(EventSources& sources, int detail);
void configure_for_stat(const StatOptions& options, EventList& list);

}  // namespace peregrine
