// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
// Sums what a counter of this CPU counts while watched tasks run, for shared_counter.cc. The counter itself is read
// only: others may be reading it too.
#include "capture/bpf/counting/shared_count.h"
#include "capture/bpf/counting/cpu_event.bpf.h"
#include "capture/bpf/watch.bpf.h"

struct {
  __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
  __uint(max_entries, 1);
  __type(key, __u32);
  __type(value, struct bpf_perf_event_value);
} last SEC(".maps");

// At every switch of tasks, and when a task is renamed by exec (before it is armed): `current` is the task that ran
// until now; one that ends is counted until it runs no more. User space runs this too, on each CPU, before it reads.
SEC("raw_tp")
int account(void* context) {
  const __u32 first = 0;
  struct bpf_perf_event_value now;
  struct bpf_perf_event_value* before = bpf_map_lookup_elem(&last, &first);
  if (!before || !read_counter(&now)) return 0;
  const long row = task_row(bpf_get_current_task_btf());
  if (row >= 0) {
    add_to(row * stride + kCounted, now.counter - before->counter);
    add_to(row * stride + kEnabled, now.enabled - before->enabled);
    add_to(row * stride + kRunning, now.running - before->running);
  }
  *before = now;
  return 0;
}

char LICENSE[] SEC("license") = "GPL";
