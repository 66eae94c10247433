/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/* Marks a thread that BPF programs count; C and C++ include it. */
#pragma once
#include <linux/types.h>

struct watched_task {
  __u32 row;   /* of its counters: that of the target thread it descends from */
  __u32 armed; /* its next exec starts counting */
};
