// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
// Decides for each sample whether to write it. sample_filter.cc attaches it to events.
#include "capture/bpf/filter/sample_filter.bpf.h"

const volatile struct sample_filter_step steps[kFilterSteps];
const volatile __u32 step_count = 0;
__u64 dropped = 0;

SEC("perf_event")
int filter_sample(void* context) {
  struct bpf_perf_event_data_kern* kernel = bpf_cast_to_kern_ctx(context);
  struct perf_sample_data* data = BPF_CORE_READ(kernel, data);
  volatile __u64* stack = empty_stack();
  if (!stack) return 1;
  for (__u32 i = 0; i < kFilterSteps && i < step_count; i++) *stack = run_step(data, &steps[i], *stack);
  if (*stack & 1) return 1;
  __sync_fetch_and_add(&dropped, 1);
  return 0;
}

char LICENSE[] SEC("license") = "GPL";
