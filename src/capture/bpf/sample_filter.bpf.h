// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
// How the steps of a sample filter are run: for programs that have their own (sample_filter.bpf.c), and for the one that
// ordinary users share (pinned_filter.bpf.c).
#pragma once
#include "abi/sample_filter.h"
#include "capture/bpf/kernel.bpf.h"

struct perf_sample_data {
  __u64 period, txn, time, id, ip, addr, phys_addr, cgroup, data_page_size, code_page_size;
  union {
    __u64 full;
  } weight;
  union {
    __u64 val;
  } data_src;
  struct {
    __u32 pid, tid;
  } tid_entry;
  struct {
    __u32 cpu;
  } cpu_entry;
} __attribute__((preserve_access_index));

struct perf_event {
  struct perf_event* parent;
  __u64 bpf_cookie;
} __attribute__((preserve_access_index));

struct bpf_perf_event_data_kern {
  struct perf_sample_data* data;
  struct perf_event* event;
} __attribute__((preserve_access_index));

extern void* bpf_cast_to_kern_ctx(void* context) __ksym;  // linux 6.2

static __u64 part_of(struct perf_sample_data* data, __u32 part) {
  switch (part) {
    case kFilterIp:
      return BPF_CORE_READ(data, ip);
    case kFilterId:
      return BPF_CORE_READ(data, id);
    case kFilterTid:
      return BPF_CORE_READ(data, tid_entry.tid);
    case kFilterPid:
      return BPF_CORE_READ(data, tid_entry.pid);
    case kFilterCpu:
      return BPF_CORE_READ(data, cpu_entry.cpu);
    case kFilterTime:
      return BPF_CORE_READ(data, time);
    case kFilterAddr:
      return BPF_CORE_READ(data, addr);
    case kFilterPeriod:
      return BPF_CORE_READ(data, period);
    case kFilterTransaction:
      return BPF_CORE_READ(data, txn);
    case kFilterWeight:
      return BPF_CORE_READ(data, weight.full);
    case kFilterPhysAddr:
      return BPF_CORE_READ(data, phys_addr);
    case kFilterDataSource:
      return BPF_CORE_READ(data, data_src.val);
    case kFilterCodePageSize:
      return BPF_CORE_READ(data, code_page_size);
    case kFilterDataPageSize:
      return BPF_CORE_READ(data, data_page_size);
    case kFilterCgroup:
      return BPF_CORE_READ(data, cgroup);
    case kFilterUid:
      return bpf_get_current_uid_gid() & 0xffffffff;
    case kFilterGid:
      return bpf_get_current_uid_gid() >> 32;
  }
  return 0;
}

static bool holds(__u32 op, __u64 part, __u64 value) {
  switch (op) {
    case kFilterEqual:
      return part == value;
    case kFilterNotEqual:
      return part != value;
    case kFilterLess:
      return part < value;
    case kFilterLessEqual:
      return part <= value;
    case kFilterGreater:
      return part > value;
    case kFilterGreaterEqual:
      return part >= value;
    case kFilterAnyBit:
      return part & value;
  }
  return false;
}

// One step on the stack of truths, whose top is the lowest bit.
static __always_inline __u64 run_step(struct perf_sample_data* data, const volatile struct sample_filter_step* step,
                                      __u64 stack) {
  const __u32 op = step->op;
  if (op == kFilterNot) return stack ^ 1;
  if (op == kFilterAnd) return (stack >> 1) & (stack | ~1ULL);
  if (op == kFilterOr) return (stack >> 1) | (stack & 1);
  __u64 part = part_of(data, step->part) >> (step->shift & 63);
  if (step->bits) part &= (1ULL << (step->bits & 63)) - 1;
  return stack << 1 | holds(op, part, step->value);
}
