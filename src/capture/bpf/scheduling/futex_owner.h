/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/* What futex_owner.bpf.c and futex_owners.cc agree on; C and C++ read it. */
#pragma once
#include <linux/types.h>

/* A thread is about to sleep for a word: what the word and its surroundings say then. */
struct futex_wait {
  __u64 time; /* CLOCK_MONOTONIC, ns */
  __u64 address;
  __u32 tid;
  __u32 word;
  __u32 owner; /* of glibc's mutexes: the third number from the word on */
  __u32 operation;
};
