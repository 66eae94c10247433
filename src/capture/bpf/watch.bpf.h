// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
// Whom a program counts for: everybody, or the threads that user space has marked in `watched`, and their children as
// perf_event follows them. Included once by each program of its kind; watcher.h is its other half.
#pragma once
#include "capture/bpf/follow.bpf.h"

const volatile __u32 stride = 1;   // counters in a row
const volatile __u32 threads = 1;  // rows per CPU
const volatile __u32 by_thread = 0;

__u32 running = 0;

struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(map_flags, BPF_F_MMAPABLE);
  __uint(max_entries, 1);
  __type(key, __u32);
  __type(value, __u64);
} counts SEC(".maps");

// perf_event leaves a dying task at one point, and its context is gone then; what the task does later is nobody's.
// Read by bpf_probe_read_kernel: for a plain load the verifier looks through all type names, 1 ms for each program.
static bool has_left(struct task_struct* task) {
  struct task_struct___two_contexts* old = (void*)task;
  if (bpf_core_field_exists(task->perf_event_ctxp)) return !BPF_CORE_READ(task, perf_event_ctxp);
  return !BPF_CORE_READ(old, perf_event_ctxp[1]);
}

// The row of counters of the task that runs now, or -1: nobody counts it.
static inline long task_row(struct task_struct* task) {
  if (!running) return -1;
  long row = bpf_get_smp_processor_id() * threads;
  if (!by_thread) return row;
  struct watched_task* watch = followed(task);
  return watch ? row + watch->row : -1;
}

// The same of what happens now.
static inline long current_row(void) {
  struct task_struct* task = bpf_get_current_task_btf();
  const long row = task_row(task);
  return row >= 0 && by_thread && has_left(task) ? -1 : row;
}

static inline void add_to(__u32 counter, __u64 amount) {
  __u64* count = bpf_map_lookup_elem(&counts, &counter);
  if (count) *count += amount;
}

// A number that user space patches into each copy of a program.
#define PATCHED(mark)                 \
  ({                                  \
    __u32 patched = mark;             \
    asm volatile("" : "+r"(patched)); \
    patched;                          \
  })
