// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
// Counts tracepoints as perf_event does, for tracepoint_counter.cc: one copy of count_hit or count_amount per
// tracepoint, with its number patched in; system calls by two programs for all of them.
//
// Each counter has a u64 per CPU and target thread, so that no two CPUs share one. A program never runs inside itself
// on one CPU (the kernel counts such a miss), so that adding needs no lock.
#include "capture/bpf/counting/tracepoint_count.h"
#include "capture/bpf/watch.bpf.h"

const volatile __u16 entered[kSyscalls];  // number of a system call → counter + 1
const volatile __u16 left[kSyscalls];

static void add(__u32 number, __u64 amount) {
  const long row = current_row();
  if (row >= 0) add_to(row * stride + number, amount);
}

SEC("raw_tp")
int count_hit(void* context) {
  add(PATCHED(kCounterMark), 1);
  return 0;
}

// Tracepoints that count by what they report (sched_stat_runtime: nanoseconds), their second argument.
SEC("raw_tp")
int count_amount(struct bpf_raw_tracepoint_args* context) {
  add(PATCHED(kCounterMark), context->args[1]);
  return 0;
}

// System calls of 32-bit processes have other numbers, and no tracepoints.
static bool is_compat(void) {
  struct task_struct* task = bpf_get_current_task_btf();
  if (bpf_core_field_exists(struct pt_regs___arm64_call, syscallno))
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
  struct pt_regs___arm64_call* arm64 = (void*)context->args[0];
  __u64 call = -1;
  if (bpf_core_field_exists(x86->orig_ax))
    call = BPF_CORE_READ(x86, orig_ax);
  else if (bpf_core_field_exists(arm64->syscallno))
    call = BPF_CORE_READ(arm64, syscallno);
  count_syscall(left, call);
  return 0;
}

char LICENSE[] SEC("license") = "GPL";
