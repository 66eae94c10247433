// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
// Counts tracepoints as perf_event does, for tracepoint_counter.cc: one copy of count_hit or count_amount per
// tracepoint, kNumberMark replaced by its number; system calls by two programs for all of them.
//
// Each counter has a __u64 per CPU and target thread, so that no two CPUs share one. A program never runs inside itself
// on one CPU (the kernel counts such a miss), so that adding needs no lock.
#include "capture/bpf/tracepoint_count.h"
#include "capture/bpf/kernel.bpf.h"

const volatile __u32 stride = 1;   // counters in a row
const volatile __u32 threads = 1;  // rows per CPU
const volatile __u32 by_thread = 0;
const volatile __u16 entered[kSyscalls];  // number of a system call → counter + 1
const volatile __u16 left[kSyscalls];

__u32 running = 0;
__u32 at_exec = 0;  // tasks count from their next exec on
__u64 lost_tasks = 0;

struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(map_flags, BPF_F_MMAPABLE);
  __uint(max_entries, 1);
  __type(key, __u32);
  __type(value, __u64);
} counts SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_TASK_STORAGE);
  __uint(map_flags, BPF_F_NO_PREALLOC);
  __type(key, int);
  __type(value, struct watched_task);
} watched SEC(".maps");

// perf_event leaves a dying task at one point, and its context is gone then; what the task does later is nobody's.
// Read by bpf_probe_read_kernel: for a plain load the verifier looks through all type names, 1 ms for each program.
static bool has_left(struct task_struct* task) {
  struct task_struct___two_contexts* old = (void*)task;
  if (bpf_core_field_size(task->perf_event_ctxp) == sizeof(void*)) return !BPF_CORE_READ(task, perf_event_ctxp);
  return !BPF_CORE_READ(old, perf_event_ctxp[1]);
}

static void add(__u32 number, __u64 amount) {
  __u32 row = bpf_get_smp_processor_id() * threads;
  if (by_thread) {
    struct task_struct* task = bpf_get_current_task_btf();
    struct watched_task* watch = bpf_task_storage_get(&watched, task, 0, 0);
    if (!watch || (at_exec && watch->armed) || has_left(task)) return;
    row += watch->row;
  }
  __u32 key = row * stride + number;
  __u64* count = bpf_map_lookup_elem(&counts, &key);
  if (count) *count += amount;
}

static __u32 own_number(void) {
  __u32 number = kNumberMark;
  asm volatile("" : "+r"(number));
  return number;
}

SEC("raw_tp")
int count_hit(void* context) {
  if (running) add(own_number(), 1);
  return 0;
}

// Tracepoints that count by what they report (sched_stat_runtime: nanoseconds), their second argument.
SEC("raw_tp")
int count_amount(struct bpf_raw_tracepoint_args* context) {
  if (running) add(own_number(), context->args[1]);
  return 0;
}

// System calls of 32-bit processes have other numbers, and no tracepoints.
static bool is_compat(void) {
  struct task_struct* task = bpf_get_current_task_btf();
  if (bpf_core_field_exists(struct pt_regs___arm64, syscallno))
    return BPF_CORE_READ(task, thread_info.flags) & 1UL << 22;
  return bpf_core_field_exists(task->thread_info.status) && BPF_CORE_READ(task, thread_info.status) & 2;
}

static void count_syscall(const volatile __u16* counters, __u64 call) {
  if (call >= kSyscalls || is_compat()) return;
  __u32 counter = counters[call];
  if (counter) add(counter - 1, 1);
}

SEC("raw_tp/sys_enter")
int count_enter(struct bpf_raw_tracepoint_args* context) {
  if (running) count_syscall(entered, context->args[1]);
  return 0;
}

SEC("raw_tp/sys_exit")
int count_leave(struct bpf_raw_tracepoint_args* context) {
  if (!running) return 0;
  struct pt_regs___x86* x86 = (void*)context->args[0];
  struct pt_regs___arm64* arm64 = (void*)context->args[0];
  __u64 call = -1;
  if (bpf_core_field_exists(x86->orig_ax))
    call = BPF_CORE_READ(x86, orig_ax);
  else if (bpf_core_field_exists(arm64->syscallno))
    call = BPF_CORE_READ(arm64, syscallno);
  count_syscall(left, call);
  return 0;
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

// The first tracepoint after the point where exec enables counters; attached first, so that it counts this one.
SEC("tp_btf/task_rename")
int start_at_exec(__u64* context) {
  struct task_struct* task = bpf_get_current_task_btf();
  struct watched_task* watch = bpf_task_storage_get(&watched, task, 0, 0);
  if (watch && context[0] == (__u64)task) watch->armed = 0;
  return 0;
}

char LICENSE[] SEC("license") = "GPL";
