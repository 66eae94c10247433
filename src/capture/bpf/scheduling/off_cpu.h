/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/* What off_cpu.bpf.c and off_cpu.cc agree on; C and C++ read it. */
#pragma once
#include <linux/types.h>

enum {
  kMostFrames = 127, /* of a stack */
  kMostStacks = 16384,
  kMostSleeps = 65536, /* kinds of them: a thread at a stack */
  kMostCpus = 4096,
};

/* Sleeps that are added up. */
struct sleep_kind {
  __u32 pid, tid;
  __s32 stack; /* negative: not known */
  __u32 state;
  __u64 cgroup;
};

/* One sleep that was long enough to be told by itself. */
struct long_sleep {
  struct sleep_kind kind;
  __u64 end; /* CLOCK_MONOTONIC, ns */
  __u64 duration;
  __u32 cpu, unused;
};
