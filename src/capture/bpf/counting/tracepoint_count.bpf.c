// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
// Counts tracepoints like perf_event, for tracepoint_counter.cc. Each tracepoint has a copy of count_hit or
// count_amount with its counter's number patched in; two programs handle all system calls.
//
// Each counter has a u64 per CPU and target thread, so no two CPUs write to the same one. A program never nests on one
// CPU (the kernel skips it and counts a miss), so additions need no lock.
#include "capture/bpf/counting/tracepoint_count.h"
#include "capture/bpf/watch.bpf.h"

const volatile __u16 entered[kSyscalls];  // system call number → counter + 1
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

// For tracepoints that count an amount, their second argument (sched_stat_runtime: nanoseconds).
SEC("raw_tp")
int count_amount(struct bpf_raw_tracepoint_args* context) {
  add(PATCHED(kCounterMark), context->args[1]);
  return 0;
}

// 32-bit processes use other system call numbers, and perf_event has no tracepoints for them.
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
