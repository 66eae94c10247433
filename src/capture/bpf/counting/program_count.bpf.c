// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
// Sums what this CPU's counter counts while another BPF program runs, for program_counter.cc. The loader replaces the
// names after fentry/ and fexit/ with that program's.
#include "capture/bpf/counting/cpu_event.bpf.h"

__u32 running = 0;

struct {
  __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
  __uint(max_entries, 1);
  __type(key, __u32);
  __type(value, struct bpf_perf_event_value);
} entered SEC(".maps"), sums SEC(".maps");

SEC("fentry/program")
int on_entry(void* context) {
  const __u32 first = 0;
  struct bpf_perf_event_value* start = bpf_map_lookup_elem(&entered, &first);
  if (start && running) read_counter(start);
  return 0;
}

SEC("fexit/program")
int on_exit(void* context) {
  const __u32 first = 0;
  struct bpf_perf_event_value now;
  if (!read_counter(&now)) return 0;
  struct bpf_perf_event_value* start = bpf_map_lookup_elem(&entered, &first);
  struct bpf_perf_event_value* sum = bpf_map_lookup_elem(&sums, &first);
  // A run that began before counting has no start value.
  if (!start || !sum || !running || !start->enabled) return 0;
  sum->counter += now.counter - start->counter;
  sum->enabled += now.enabled - start->enabled;
  sum->running += now.running - start->running;
  start->enabled = 0;
  return 0;
}

char LICENSE[] SEC("license") = "GPL";
