// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
// Follows the threads that user space marked in `watched`, and their children as perf_event does. Each program that
// filters by thread includes this once.
#pragma once
#include "capture/bpf/kernel.bpf.h"
#include "capture/bpf/task_mark.h"

__u32 at_exec = 0;  // tasks count from their next exec
__u64 lost_tasks = 0;

struct {
  __uint(type, BPF_MAP_TYPE_TASK_STORAGE);
  __uint(map_flags, BPF_F_NO_PREALLOC);
  __type(key, int);
  __type(value, struct watched_task);
} watched SEC(".maps");

// The mark of a task that is being counted; NULL for any other task.
static inline struct watched_task* followed(struct task_struct* task) {
  struct watched_task* watch = bpf_task_storage_get(&watched, task, 0, 0);
  return watch && !(at_exec && watch->armed) ? watch : 0;
}

// Where perf_event copies its counters to a child.
SEC("tp_btf/task_newtask")
int watch_child(__u64* context) {
  struct watched_task* watch = bpf_task_storage_get(&watched, bpf_get_current_task_btf(), 0, 0);
  if (!watch) return 0;
  struct task_struct* child = (void*)context[0];
  if (!bpf_task_storage_get(&watched, child, watch, BPF_LOCAL_STORAGE_GET_F_CREATE))
    __sync_fetch_and_add(&lost_tasks, 1);
  return 0;
}

// The first tracepoint after exec enables counters. Must be attached first, so that this tracepoint is counted.
SEC("tp_btf/task_rename")
int start_at_exec(__u64* context) {
  struct task_struct* task = bpf_get_current_task_btf();
  struct watched_task* watch = bpf_task_storage_get(&watched, task, 0, 0);
  if (watch && context[0] == (__u64)task) watch->armed = 0;
  return 0;
}
