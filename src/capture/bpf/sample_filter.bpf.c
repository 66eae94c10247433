// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
// Decides for each sample, before it is written, whether it is wanted: sample_filter.cc attaches it to descriptors.
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

struct bpf_perf_event_data_kern {
  struct perf_sample_data* data;
} __attribute__((preserve_access_index));

extern void* bpf_cast_to_kern_ctx(void* context) __ksym;  // linux 6.2

const volatile struct sample_filter_step steps[kFilterSteps];
const volatile __u32 step_count = 0;
__u64 dropped = 0;

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

SEC("perf_event")
int filter_sample(void* context) {
  struct bpf_perf_event_data_kern* kernel = bpf_cast_to_kern_ctx(context);
  struct perf_sample_data* data = BPF_CORE_READ(kernel, data);
  __u64 stack = 0;  // the top is the lowest bit
  for (__u32 i = 0; i < kFilterSteps && i < step_count; i++) {
    const __u32 op = steps[i].op;
    if (op == kFilterNot) {
      stack ^= 1;
    } else if (op == kFilterAnd) {
      stack = (stack >> 1) & (stack | ~1ULL);
    } else if (op == kFilterOr) {
      stack = (stack >> 1) | (stack & 1);
    } else {
      __u64 part = part_of(data, steps[i].part) >> (steps[i].shift & 63);
      if (steps[i].bits) part &= (1ULL << (steps[i].bits & 63)) - 1;
      stack = stack << 1 | holds(op, part, steps[i].value);
    }
  }
  if (stack & 1) return 1;
  __sync_fetch_and_add(&dropped, 1);
  return 0;
}

char LICENSE[] SEC("license") = "GPL";
