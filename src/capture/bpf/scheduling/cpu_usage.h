/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/* What cpu_usage.bpf.c and cpu_usage_watcher.cc agree on; C and C++ read it. */
#pragma once
#include <linux/types.h>

enum {
  kUsageCpus = 4096,
  kUsageTasks = 65536,
  kUsageCommBytes = 16,
};

/* What has a CPU at the moment, and how long it had what so far, in ns. */
struct cpu_course {
  __u64 since; /* the last change; 0: nothing has happened yet */
  __u64 total, idle, irq, softirq;
  __u32 tid;
  __u32 irqs, softirqs; /* that have begun */
  char comm[kUsageCommBytes];
};

struct usage_key {
  __u32 tid;
  __u32 cpu; /* of an idle task, which each CPU has; else 0 */
};

struct task_usage {
  __u64 runtime;
  char comm[kUsageCommBytes];
};
