// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
// Decides for whom a program counts: everybody, or the threads marked in `watched` by user space and their children as
// perf_event follows them. Each counting program includes this once; watcher.h is the user-space half.
#pragma once
#include "capture/bpf/follow.bpf.h"

const volatile __u32 stride = 1;   // counters per row
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

// perf_event leaves a dying task at one point, and its context is gone then; what the task does later is not counted.
// Uses bpf_probe_read_kernel: for a plain load the verifier searches all type names, 1 ms per program.
static bool has_left(struct task_struct* task) {
  struct task_struct___two_contexts* old = (void*)task;
  if (bpf_core_field_exists(task->perf_event_ctxp)) return !BPF_CORE_READ(task, perf_event_ctxp);
  return !BPF_CORE_READ(old, perf_event_ctxp[1]);
}

// The counter row of the running task, or -1 if it is not counted.
static inline long task_row(struct task_struct* task) {
  if (!running) return -1;
  long row = bpf_get_smp_processor_id() * threads;
  if (!by_thread) return row;
  struct watched_task* watch = followed(task);
  return watch ? row + watch->row : -1;
}

// The same for the current context.
static inline long current_row(void) {
  struct task_struct* task = bpf_get_current_task_btf();
  const long row = task_row(task);
  return row >= 0 && by_thread && has_left(task) ? -1 : row;
}

static inline void add_to(__u32 counter, __u64 amount) {
  __u64* count = bpf_map_lookup_elem(&counts, &counter);
  if (count) *count += amount;
}

// A constant that user space patches in each copy of a program.
#define PATCHED(mark)                 \
  ({                                  \
    __u32 patched = mark;             \
    asm volatile("" : "+r"(patched)); \
    patched;                          \
  })
