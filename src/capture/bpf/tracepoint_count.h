/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/* What tracepoint_count.bpf.c and tracepoint_counter.cc agree on; C and C++ read it. */
#pragma once
#include <linux/types.h>

enum {
  kNumberMark = 0x5eed1e55, /* replaced by the counter's number in each copy of a program */
  kSyscalls = 1024,
};

struct watched_task {
  __u32 row;   /* of the counters it adds to: the target thread it descends from */
  __u32 armed; /* its next exec starts counting */
};
