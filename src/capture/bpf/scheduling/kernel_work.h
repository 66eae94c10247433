/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/* The interface between kernel_work.bpf.c and work_watcher.cc; C and C++ include it. */
#pragma once
#include <linux/types.h>

enum {
  kWorkNameBytes = 32,
  kWorkCpus = 4096,
  kMostWork = 16384, /* (piece of work, CPU) pairs */
};

enum work_kind { kWorkIrq, kWorkSoftirq, kWorkItem, kWorkKindCount };

/* `cpu` is ~0 for the state of a workqueue item between two events, since these may occur on different CPUs. */
struct work_key {
  __u64 id; /* irq number, softirq vector or address of the item */
  __u32 cpu;
  __u32 kind;
};

struct work_sums {
  __u64 function; /* of a workqueue item */
  __u64 count, total, most, most_from, most_until;
  __u64 events, first, last; /* number of events, and times of the first and the last */
  __u64 missed_entries, missed_exits;
  char name[kWorkNameBytes]; /* of an irq handler */
};

struct work_raise {
  __u64 time, function;
};

struct work_begin {
  __u64 time;
  __u64 cpu; /* the run counts on this CPU */
};
