// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
// Sums what this CPU's counter counts while watched tasks run, for shared_counter.cc. The counter is only read, never
// changed: other sessions may be reading it too.
#include "capture/bpf/counting/shared_count.h"
#include "capture/bpf/counting/cpu_event.bpf.h"
#include "capture/bpf/watch.bpf.h"

struct {
  __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
  __uint(max_entries, 1);
  __type(key, __u32);
  __type(value, struct bpf_perf_event_value);
} last SEC(".maps");

// Runs at each context switch, and when exec renames a task (before that arms it). `current` is the task that ran until
// now, so a dying task is counted to its last switch. User space also runs this on each CPU before it reads the sums.
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
