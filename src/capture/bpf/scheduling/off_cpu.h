/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/* The interface between off_cpu.bpf.c and off_cpu.cc; C and C++ include it. */
#pragma once
#include <linux/types.h>

enum {
  kMostFrames = 127, /* per stack */
  kMostStacks = 16384,
  kMostSleeps = 65536, /* kinds of sleep: (thread, stack) */
  kMostCpus = 4096,
};

/* Sleeps of the same kind are summed. */
struct sleep_kind {
  __u32 pid, tid;
  __s32 stack; /* negative if unknown */
  __u32 state;
  __u64 cgroup;
};

/* A sleep that is long enough for a separate record. */
struct long_sleep {
  struct sleep_kind kind;
  __u64 end; /* CLOCK_MONOTONIC, ns */
  __u64 duration;
  __u32 cpu, unused;
};
