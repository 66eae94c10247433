// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
// Measures how long interrupt handlers, softirqs and workqueue items run, or how long they wait after they were raised,
// for work_watcher.cc. A run counts on the CPU where it began, even if a workqueue item ends on another one. Plain
// additions are exact: no piece of work interrupts itself on a CPU, and the kernel never runs one item twice at the
// same time.
#include "capture/bpf/scheduling/kernel_work.h"
#include "capture/bpf/kernel.bpf.h"

const volatile __u32 delays = 0;  // measure delays instead of run times
const volatile __u32 some_cpus = 0;
const volatile __u8 chosen_cpus[kWorkCpus];

__u32 running = 0;
__u64 lost_events = 0;

struct irqaction {
  const char* name;
} __attribute__((preserve_access_index));

struct work_struct {
  void* func;
} __attribute__((preserve_access_index));

struct {
  __uint(type, BPF_MAP_TYPE_HASH);
  __uint(max_entries, kMostWork);
  __type(key, struct work_key);
  __type(value, struct work_sums);
} work SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_HASH);
  __uint(max_entries, kMostWork);
  __type(key, struct work_key);
  __type(value, struct work_raise);
} raised SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_HASH);
  __uint(max_entries, kMostWork);
  __type(key, struct work_key);
  __type(value, struct work_begin);
} begun SEC(".maps");

static bool is_wanted(__u32 cpu) {
  if (!running) return false;
  return !some_cpus || (cpu < kWorkCpus && chosen_cpus[cpu]);
}

static struct work_sums* note_event(const struct work_key* key, __u64 now, __u64 function, const char* name) {
  struct work_sums* sums = bpf_map_lookup_elem(&work, key);
  if (!sums) {
    struct work_sums fresh = {.function = function, .first = now};
    if (name) bpf_probe_read_kernel_str(fresh.name, sizeof fresh.name, name);
    bpf_map_update_elem(&work, key, &fresh, BPF_NOEXIST);
    sums = bpf_map_lookup_elem(&work, key);
  }
  if (!sums) {
    __sync_fetch_and_add(&lost_events, 1);
    return 0;
  }
  sums->events++;
  sums->last = now;
  return sums;
}

static void add_span(struct work_sums* sums, __u64 from, __u64 until) {
  const __u64 span = until > from ? until - from : 0;
  if (sums->count == 0 || span > sums->most) {
    sums->most = span;
    sums->most_from = from;
    sums->most_until = until;
  }
  sums->count++;
  sums->total += span;
}

static int raise_work(__u32 kind, __u64 id, __u64 function) {
  struct work_key key = {.id = id, .cpu = bpf_get_smp_processor_id(), .kind = kind};
  if (!is_wanted(key.cpu)) return 0;
  const struct work_raise raise = {.time = bpf_ktime_get_ns(), .function = function};
  if (!note_event(&key, raise.time, function, 0)) return 0;
  if (kind == kWorkItem) key.cpu = ~0u;
  // A softirq that is raised again before it runs has waited since the first time. A queued work item cannot be raised
  // again, so here the earlier raise was cancelled.
  const __u64 how = kind == kWorkItem ? BPF_ANY : BPF_NOEXIST;
  if (bpf_map_update_elem(&raised, &key, &raise, how) && !bpf_map_lookup_elem(&raised, &key))
    __sync_fetch_and_add(&lost_events, 1);
  return 0;
}

static int enter_work(__u32 kind, __u64 id, __u64 function, const char* name) {
  struct work_key key = {.id = id, .cpu = bpf_get_smp_processor_id(), .kind = kind};
  if (!is_wanted(key.cpu)) return 0;
  const __u64 now = bpf_ktime_get_ns();
  struct work_sums* sums = note_event(&key, now, function, name);
  if (!sums) return 0;
  if (!delays) {
    const struct work_begin begin = {.time = now, .cpu = key.cpu};
    if (kind == kWorkItem) key.cpu = ~0u;
    if (bpf_map_lookup_elem(&begun, &key)) sums->missed_entries++;
    if (bpf_map_update_elem(&begun, &key, &begin, BPF_ANY)) __sync_fetch_and_add(&lost_events, 1);
    return 0;
  }
  if (kind == kWorkIrq) return 0;
  if (kind == kWorkItem) key.cpu = ~0u;
  const struct work_raise* raise = bpf_map_lookup_elem(&raised, &key);
  if (!raise) {
    sums->missed_entries++;
    return 0;
  }
  add_span(sums, raise->time, now);
  bpf_map_delete_elem(&raised, &key);
  return 0;
}

static int leave_work(__u32 kind, __u64 id, __u64 function) {
  struct work_key key = {.id = id, .cpu = bpf_get_smp_processor_id(), .kind = kind};
  if (!running) return 0;
  const __u64 now = bpf_ktime_get_ns();
  struct work_sums* sums = 0;
  if (is_wanted(key.cpu) && !(sums = note_event(&key, now, function, 0))) return 0;
  if (delays) return 0;
  if (kind == kWorkItem) key.cpu = ~0u;
  const struct work_begin* begin = bpf_map_lookup_elem(&begun, &key);
  if (!begin) {
    if (sums) sums->missed_exits++;
    return 0;
  }
  const __u64 since = begin->time;
  struct work_key where = {.id = id, .cpu = begin->cpu, .kind = kind};
  bpf_map_delete_elem(&begun, &key);
  sums = bpf_map_lookup_elem(&work, &where);
  if (sums) add_span(sums, since, now);
  return 0;
}

static const char* handler_name(__u64 action) {
  struct irqaction* of = (void*)action;
  return of ? BPF_CORE_READ(of, name) : 0;
}

static __u64 item_function(__u64 item) {
  struct work_struct* of = (void*)item;
  return (__u64)BPF_CORE_READ(of, func);
}

// Arguments: number, action.
SEC("tp_btf/irq_handler_entry")
int enter_irq(__u64* context) { return enter_work(kWorkIrq, (__u32)context[0], 0, handler_name(context[1])); }

SEC("tp_btf/irq_handler_exit")
int leave_irq(__u64* context) { return leave_work(kWorkIrq, (__u32)context[0], 0); }

// Argument: vector.
SEC("tp_btf/softirq_raise")
int raise_softirq(__u64* context) { return raise_work(kWorkSoftirq, (__u32)context[0], 0); }

SEC("tp_btf/softirq_entry")
int enter_softirq(__u64* context) { return enter_work(kWorkSoftirq, (__u32)context[0], 0, 0); }

SEC("tp_btf/softirq_exit")
int leave_softirq(__u64* context) { return leave_work(kWorkSoftirq, (__u32)context[0], 0); }

// Argument: item. At the end it may already be freed, so that event passes the function as well.
SEC("tp_btf/workqueue_activate_work")
int raise_item(__u64* context) { return raise_work(kWorkItem, context[0], item_function(context[0])); }

SEC("tp_btf/workqueue_execute_start")
int enter_item(__u64* context) { return enter_work(kWorkItem, context[0], item_function(context[0]), 0); }

// A raw tracepoint, since the verifier forbids tp_btf programs to read arguments that are function pointers.
SEC("raw_tp/workqueue_execute_end")
int leave_item(__u64* context) { return leave_work(kWorkItem, context[0], context[1]); }

char LICENSE[] SEC("license") = "GPL";
