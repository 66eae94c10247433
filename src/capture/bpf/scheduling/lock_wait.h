/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/* The interface between lock_wait.bpf.c and lock_watcher.cc; C and C++ include it. */
#pragma once
#include <linux/types.h>

enum {
  kLockFrames = 32, /* innermost frames per stack */
  kLockStacks = 16384,
  kLockFilters = 16, /* per kind of filter */
  kLockCpus = 4096,
  kLockCommBytes = 16,
  kDelayChecks = 1 << 23, /* clock reads per injected delay; limits it to some 100 ms */
};

/* Waits with the same key are summed. Fields that the request does not group by are 0. */
struct lock_wait_key {
  __u64 lock;
  __u64 cgroup; /* of the waiting task */
  __u32 tid;
  __s32 stack;
};

struct lock_wait_sums {
  __u64 count;
  __u64 total, most, least;
  __u64 lock;
  __u32 flags;
  __s32 stack; /* of the first wait; negative if unknown */
  __u32 tid;
  char comm[kLockCommBytes]; /* of the waiting task, or of the owner */
};
