// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
// Writes a system call's caller (stack) as a record before the call's own; defines the ring of both.
// syscall_trace.bpf.c includes this once.
#pragma once
#include "capture/bpf/kernel.bpf.h"
#include "capture/bpf/syscall/syscall_trace.h"

// The user registers that the kernel saves during the call.
struct pt_regs {
  unsigned long di, si, dx, r10, r8, r9, bx, cx, bp, orig_ax;  // x86
  unsigned long ax, sp, ip, flags, cs, ss, r11, r12, r13, r14, r15;
} __attribute__((preserve_access_index));

struct pt_regs___arm {
  unsigned long regs[31];
  unsigned long sp, pc;
  int syscallno;
} __attribute__((preserve_access_index));

const volatile __u32 caller_frames = 0;  // bytes of addresses from frame pointers
const volatile __u32 caller_stack = 0;   // bytes of stack, sent with registers

struct {
  __uint(type, BPF_MAP_TYPE_RINGBUF);
  __uint(max_entries, 4096);
} ring SEC(".maps");

// Per-CPU buffer for such a record: programs at tracepoints are not preempted. User space sets both sizes.
struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(key_size, sizeof(__u32));
  __uint(value_size, sizeof(struct traced_caller));
  __uint(max_entries, 1);
} callers SEC(".maps");

// In perf_event's sample order; without DS, ES, FS, GS.
static void read_registers(__u64* to, struct pt_regs* x86) {
  if (bpf_core_field_exists(x86->orig_ax)) {
    to[0] = x86->ax;
    to[1] = x86->bx;
    to[2] = x86->cx;
    to[3] = x86->dx;
    to[4] = x86->si;
    to[5] = x86->di;
    to[6] = x86->bp;
    to[7] = x86->sp;
    to[8] = x86->ip;
    to[9] = x86->flags;
    to[10] = x86->cs;
    to[11] = x86->ss;
    to[12] = x86->r8;
    to[13] = x86->r9;
    to[14] = x86->r10;
    to[15] = x86->r11;
    to[16] = x86->r12;
    to[17] = x86->r13;
    to[18] = x86->r14;
    to[19] = x86->r15;
    return;
  }
  struct pt_regs___arm* arm = (void*)x86;
  for (int i = 0; i < 31; i++) to[i] = arm->regs[i];
  to[31] = arm->sp;
  to[32] = arm->pc;
}

static __u64 stack_pointer(struct pt_regs* x86) {
  struct pt_regs___arm* arm = (void*)x86;
  return bpf_core_field_exists(x86->orig_ax) ? x86->sp : arm->sp;
}

// Copies the stack page by page as far as it is readable; returns the number of bytes. `to` has space for one page more
// than requested.
static __u32 read_stack(char* to, __u64 from) {
  __u32 got = 0;
  for (int i = 0; i < 0x10000 / kStackPage + 1; i++) {
    asm volatile("" : "+r"(got));
    if (got >= caller_stack) break;
    __u32 bytes = kStackPage - ((from + got) & (kStackPage - 1));
    const __u32 left = caller_stack - got;
    if (bytes > left) bytes = left;
    asm volatile("" : "+r"(bytes));
    if (bytes > kStackPage) break;
    if (bpf_probe_read_user(to + got, bytes, (void*)(from + got))) break;
    got += bytes;
  }
  return got;
}

// Returns false if the ring is full.
static bool write_caller(void* context, struct traced_task* task) {
  const __u32 cpu = bpf_get_smp_processor_id();
  struct traced_caller* caller = bpf_map_lookup_elem(&callers, &cpu);
  if (!caller) return false;
  __u64* words = (__u64*)(caller + 1);
  caller->pid = task->call.pid;
  caller->tid = task->call.tid;
  __u32 bytes = 0;
  if (caller_stack) {
    struct pt_regs* registers = (void*)bpf_task_pt_regs(bpf_get_current_task_btf());
    read_registers(words, registers);
    bytes = kStackRegisters * sizeof(__u64) + read_stack((char*)(words + kStackRegisters), stack_pointer(registers));
    caller->kind = kTracedStack;
  } else {
    const long got = bpf_get_stack(context, words, caller_frames, BPF_F_USER_STACK);
    bytes = got > 0 ? got : 0;
    caller->kind = kTracedFrames;
  }
  caller->bytes = bytes;
  const __u32 most = sizeof *caller + (caller_stack ? kStackRegisters * sizeof(__u64) + caller_stack : caller_frames);
  __u32 size = sizeof *caller + bytes;
  asm volatile("" : "+r"(size));
  return size <= most && !bpf_ringbuf_output(&ring, caller, size, BPF_RB_NO_WAKEUP);
}
