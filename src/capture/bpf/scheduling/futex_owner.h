/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/* The interface between futex_owner.bpf.c and futex_owners.cc; C and C++ include it. */
#pragma once
#include <linux/types.h>

/* A thread is about to wait on a futex: the contents of the futex word and its surroundings at that moment. */
struct futex_wait {
  __u64 time; /* CLOCK_MONOTONIC, ns */
  __u64 address;
  __u32 tid;
  __u32 word;
  __u32 owner; /* owner in a glibc mutex: the third 32-bit value, counting the futex word */
  __u32 operation;
};
