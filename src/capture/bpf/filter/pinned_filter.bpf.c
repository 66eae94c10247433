// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
// The sample filter that `record --setup-filter=pin` installs for ordinary users, who may not load programs. Users
// write the steps of their filter to a map. The key is a random number, which is also the cookie of their events.
//
//   filters   cookie → steps          users may write but not read: without its cookie nobody can change a filter
//   dropped   drop_key → refused      users may read
//
// Both are LRU maps, so entries of a killed recorder disappear in time. But a user who adds many filters can evict
// those of others, whose samples then pass unfiltered. Recorders therefore check at the end that their filter still
// exists.
#include "capture/bpf/filter/pinned_filter.h"
#include "capture/bpf/filter/sample_filter.bpf.h"

enum { kFilters = 4096 };

struct {
  __uint(type, BPF_MAP_TYPE_LRU_HASH);
  __uint(max_entries, kFilters);
  __type(key, __u64);
  __type(value, struct pinned_steps);
} filters SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_LRU_HASH);
  __uint(max_entries, kFilters);
  __type(key, __u64);
  __type(value, __u64);
} dropped SEC(".maps");

struct run {
  struct perf_sample_data* data;
  struct pinned_steps* filter;
  volatile __u64* stack;
};

// For bpf_loop (Linux 5.17): the verifier then checks a single step instead of all of them.
static long next_step(__u32 i, struct run* run) {
  if (i >= kFilterSteps || i >= run->filter->step_count) return 1;
  *run->stack = run_step(run->data, &run->filter->steps[i], *run->stack);
  return 0;
}

SEC("perf_event")
int filter_sample(void* context) {
  struct bpf_perf_event_data_kern* kernel = bpf_cast_to_kern_ctx(context);
  struct perf_event* parent = BPF_CORE_READ(kernel, event, parent);
  // An inherited event has its parent's program but not its cookie.
  __u64 cookie = parent ? BPF_CORE_READ(parent, bpf_cookie) : BPF_CORE_READ(kernel, event, bpf_cookie);
  struct pinned_steps* filter = bpf_map_lookup_elem(&filters, &cookie);
  volatile __u64* stack = empty_stack();
  if (!filter || !stack) return 1;
  struct run run = {.data = BPF_CORE_READ(kernel, data), .filter = filter, .stack = stack};
  bpf_loop(kFilterSteps, next_step, &run, 0);
  if (*stack & 1) return 1;
  __u64 key = filter->drop_key, one = 1;
  __u64* count = bpf_map_lookup_elem(&dropped, &key);
  if (count)
    __sync_fetch_and_add(count, 1);
  else
    bpf_map_update_elem(&dropped, &key, &one, BPF_NOEXIST);
  return 0;
}

char LICENSE[] SEC("license") = "GPL";
