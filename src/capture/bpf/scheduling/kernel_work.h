/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/* What kernel_work.bpf.c and work_watcher.cc agree on; C and C++ read it. */
#pragma once
#include <linux/types.h>

enum {
  kWorkNameBytes = 32,
  kWorkCpus = 4096,
  kMostWork = 16384, /* pieces of work on a CPU */
};

enum work_kind { kWorkIrq, kWorkSoftirq, kWorkItem, kWorkKindCount };

/* `cpu` is ~0 for what is remembered of a workqueue item between two of its events: they may come on different CPUs. */
struct work_key {
  __u64 id; /* number of the irq, vector of the softirq, address of the item */
  __u32 cpu;
  __u32 kind;
};

struct work_sums {
  __u64 function; /* of an item */
  __u64 count, total, most, most_from, most_until;
  __u64 events, first, last; /* the number of events, and when they came */
  __u64 missed_entries, missed_exits;
  char name[kWorkNameBytes]; /* of an irq's handler */
};

struct work_raise {
  __u64 time, function;
};

struct work_begin {
  __u64 time;
  __u64 cpu; /* where the run counts */
};
