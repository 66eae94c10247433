/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/* What lock_wait.bpf.c and lock_watcher.cc agree on; C and C++ read it. */
#pragma once
#include <linux/types.h>

enum {
  kLockFrames = 32, /* of a stack: its innermost */
  kLockStacks = 16384,
  kLockFilters = 16, /* of one kind */
  kLockCpus = 4096,
  kLockCommBytes = 16,
  kDelayChecks = 1 << 23, /* of the clock, during one delay, at most: some 100 ms */
};

/* Waits that are added up: what does not tell them apart is 0. */
struct lock_wait_key {
  __u64 lock;
  __u64 cgroup; /* of the task that waited */
  __u32 tid;
  __s32 stack;
};

struct lock_wait_sums {
  __u64 count;
  __u64 total, most, least;
  __u64 lock;
  __u32 flags;
  __s32 stack; /* of the first; negative: not known */
  __u32 tid;
  char comm[kLockCommBytes]; /* of the task that waited, or that had the lock */
};
