// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
// What uprobe_trial.cc attaches to a function: nothing, and a line in the kernel's trace. At the return of a function
// the same.
#include "capture/bpf/kernel.bpf.h"

SEC("uprobe")
int empty(void* context) {
  return 0;
}

SEC("uprobe")
int trace_print(void* context) {
  const char text[] = "peregrine bench";
  bpf_trace_printk(text, sizeof text);
  return 0;
}

SEC("uretprobe")
int empty_at_return(void* context) {
  return 0;
}

SEC("uretprobe")
int trace_print_at_return(void* context) {
  const char text[] = "peregrine bench";
  bpf_trace_printk(text, sizeof text);
  return 0;
}

char LICENSE[] SEC("license") = "GPL";
