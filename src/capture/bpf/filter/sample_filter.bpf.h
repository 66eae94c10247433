// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
// Runs the steps of a sample filter, for private programs (sample_filter.bpf.c) and for the one that ordinary users
// share (pinned_filter.bpf.c).
#pragma once
#include <linux/perf_event.h>

#include "abi/sample_filter.h"
#include "capture/bpf/kernel.bpf.h"

struct perf_sample_data {
  __u64 sample_flags;
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

// The stack of booleans. It is in a map and read back from it (volatile), so the verifier knows nothing about its
// value; otherwise it would follow both outcomes of each step. Programs of perf events never nest on a CPU.
struct {
  __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
  __uint(max_entries, 1);
  __type(key, __u32);
  __type(value, __u64);
} truths SEC(".maps");

static __always_inline volatile __u64* empty_stack(void) {
  __u32 first = 0;
  volatile __u64* stack = bpf_map_lookup_elem(&truths, &first);
  if (stack) *stack = 0;
  return stack;
}

// The kernel fills only what the event's sample_type requests and says so in sample_flags; the rest is stale stack
// memory and counts as 0.
static __u64 part_of(struct perf_sample_data* data, __u32 part) {
  if (part == kFilterUid) return bpf_get_current_uid_gid() & 0xffffffff;
  if (part == kFilterGid) return bpf_get_current_uid_gid() >> 32;
  if (!bpf_core_field_exists(data->sample_flags)) return 0;
  const __u64 filled = BPF_CORE_READ(data, sample_flags);
  switch (part) {
    case kFilterIp:
      return filled & PERF_SAMPLE_IP ? BPF_CORE_READ(data, ip) : 0;
    case kFilterId:
      return filled & (PERF_SAMPLE_ID | PERF_SAMPLE_IDENTIFIER) ? BPF_CORE_READ(data, id) : 0;
    case kFilterTid:
      return filled & PERF_SAMPLE_TID ? BPF_CORE_READ(data, tid_entry.tid) : 0;
    case kFilterPid:
      return filled & PERF_SAMPLE_TID ? BPF_CORE_READ(data, tid_entry.pid) : 0;
    case kFilterCpu:
      return filled & PERF_SAMPLE_CPU ? BPF_CORE_READ(data, cpu_entry.cpu) : 0;
    case kFilterTime:
      return filled & PERF_SAMPLE_TIME ? BPF_CORE_READ(data, time) : 0;
    case kFilterAddr:
      return filled & PERF_SAMPLE_ADDR ? BPF_CORE_READ(data, addr) : 0;
    case kFilterPeriod:
      return filled & PERF_SAMPLE_PERIOD ? BPF_CORE_READ(data, period) : 0;
    case kFilterTransaction:
      return filled & PERF_SAMPLE_TRANSACTION ? BPF_CORE_READ(data, txn) : 0;
    case kFilterWeight:
      return filled & (PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT) ? BPF_CORE_READ(data, weight.full) : 0;
    case kFilterPhysAddr:
      return filled & PERF_SAMPLE_PHYS_ADDR ? BPF_CORE_READ(data, phys_addr) : 0;
    case kFilterDataSource:
      return filled & PERF_SAMPLE_DATA_SRC ? BPF_CORE_READ(data, data_src.val) : 0;
    case kFilterCodePageSize:
      return filled & PERF_SAMPLE_CODE_PAGE_SIZE ? BPF_CORE_READ(data, code_page_size) : 0;
    case kFilterDataPageSize:
      return filled & PERF_SAMPLE_DATA_PAGE_SIZE ? BPF_CORE_READ(data, data_page_size) : 0;
    case kFilterCgroup:
      return filled & PERF_SAMPLE_CGROUP ? BPF_CORE_READ(data, cgroup) : 0;
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

// Executes one step on the stack of booleans; its top is the lowest bit.
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
