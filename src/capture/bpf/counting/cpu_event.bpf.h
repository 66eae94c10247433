// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
// The counters of cpu_event.h, as programs read them: that of the CPU they run on. Included once by each.
#pragma once
#include "capture/bpf/kernel.bpf.h"

struct {
  __uint(type, BPF_MAP_TYPE_PERF_EVENT_ARRAY);
  __uint(max_entries, 1);  // as the map it is replaced by
  __type(key, __u32);
  __type(value, __u32);
} shared_events SEC(".maps");

static inline bool read_counter(struct bpf_perf_event_value* value) {
  return !bpf_perf_event_read_value(&shared_events, BPF_F_CURRENT_CPU, value, sizeof *value);
}
