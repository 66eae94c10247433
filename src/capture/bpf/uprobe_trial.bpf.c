// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
// The programs that uprobe_trial.cc attaches to a function and its return: one does nothing, the other writes a line to
// the kernel's trace.
#include "capture/bpf/kernel.bpf.h"

SEC("uprobe")
int empty(void* context) { return 0; }

SEC("uprobe")
int trace_print(void* context) {
  const char text[] = "peregrine bench";
  bpf_trace_printk(text, sizeof text);
  return 0;
}

SEC("uretprobe")
int empty_at_return(void* context) { return 0; }

SEC("uretprobe")
int trace_print_at_return(void* context) {
  const char text[] = "peregrine bench";
  bpf_trace_printk(text, sizeof text);
  return 0;
}

char LICENSE[] SEC("license") = "GPL";
