// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
// The kernel types that our BPF programs use, with only the fields they read. libbpf takes the real offsets from the
// running kernel's type data (CO-RE), so building needs none. ___NAME marks a variant that only some kernels have;
// check with bpf_core_field_exists.
#pragma once
#include <linux/bpf.h>
#include <stdbool.h>
// Include after linux/bpf.h.
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

struct thread_info {
  unsigned long flags;
  __u32 status;  // x86
} __attribute__((preserve_access_index));

struct task_struct {
  struct thread_info thread_info;
  void* perf_event_ctxp;
  unsigned int __state;
  unsigned int flags;
  int pid, tgid;
} __attribute__((preserve_access_index));

// Before 6.2: separate contexts for hardware and software events.
struct task_struct___two_contexts {
  void* perf_event_ctxp[2];
} __attribute__((preserve_access_index));

// Before 5.14.
struct task_struct___old_state {
  long state;
} __attribute__((preserve_access_index));

struct linux_binprm {
  char buf[256];  // the start of the program's file
} __attribute__((preserve_access_index));

struct pt_regs___x86 {
  unsigned long orig_ax;
} __attribute__((preserve_access_index));

struct pt_regs___arm64_call {
  int syscallno;
} __attribute__((preserve_access_index));
