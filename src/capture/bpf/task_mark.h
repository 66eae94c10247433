/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/* The mark of a thread that BPF programs count for; C and C++ read it. */
#pragma once
#include <linux/types.h>

struct watched_task {
  __u32 row;   /* of the counters it adds to: the target thread it descends from */
  __u32 armed; /* its next exec starts counting */
};
