// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
// The counters of cpu_event.h as programs read them: the current CPU's. Each program includes this once.
#pragma once
#include "capture/bpf/kernel.bpf.h"

struct {
  __uint(type, BPF_MAP_TYPE_PERF_EVENT_ARRAY);
  __uint(max_entries, 1);  // same size as the map that replaces it
  __type(key, __u32);
  __type(value, __u32);
} shared_events SEC(".maps");

static inline bool read_counter(struct bpf_perf_event_value* value) {
  return !bpf_perf_event_read_value(&shared_events, BPF_F_CURRENT_CPU, value, sizeof *value);
}
