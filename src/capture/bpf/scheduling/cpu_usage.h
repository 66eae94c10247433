/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/* The interface between cpu_usage.bpf.c and cpu_usage_watcher.cc; C and C++ include it. */
#pragma once
#include <linux/types.h>

enum {
  kUsageCpus = 4096,
  kUsageTasks = 65536,
  kUsageCommBytes = 16,
};

/* What uses a CPU now, and how long each kind of work has used it, in ns. */
struct cpu_course {
  __u64 since; /* time of the last change; 0 before the first */
  __u64 total, idle, irq, softirq;
  __u32 tid;
  __u32 irqs, softirqs; /* nesting: begun and not ended */
  char comm[kUsageCommBytes];
};

struct usage_key {
  __u32 tid;
  __u32 cpu; /* for idle tasks, one per CPU; otherwise 0 */
};

struct task_usage {
  __u64 runtime;
  char comm[kUsageCommBytes];
};
