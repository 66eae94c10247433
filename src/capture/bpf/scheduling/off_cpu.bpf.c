// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
// Measures how long threads sleep, and where, for off_cpu.cc. When a watched thread goes to sleep, its stack and the
// time go into its task storage. When it runs again, the duration is added to the sum of its kind, or written as a
// separate record if it was long. Preemption is not sleep.
#include "capture/bpf/scheduling/off_cpu.h"
#include "capture/bpf/watch.bpf.h"

const volatile __u64 threshold = 0;  // ns; from this length on, a sleep gets a separate record
const volatile __u32 some_cpus = 0;
const volatile __u8 chosen_cpus[kMostCpus];

__u64 lost_stacks = 0, lost_sleeps = 0;

struct asleep {
  __u64 since;
  struct sleep_kind kind;
};

struct {
  __uint(type, BPF_MAP_TYPE_TASK_STORAGE);
  __uint(map_flags, BPF_F_NO_PREALLOC);
  __type(key, int);
  __type(value, struct asleep);
} sleepers SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_STACK_TRACE);
  __uint(key_size, sizeof(__u32));
  __uint(value_size, kMostFrames * sizeof(__u64));
  __uint(max_entries, kMostStacks);
} stacks SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_HASH);
  __uint(map_flags, BPF_F_NO_PREALLOC);
  __uint(max_entries, kMostSleeps);
  __type(key, struct sleep_kind);
  __type(value, __u64);
} sleeps SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_RINGBUF);
  __uint(max_entries, 1 << 20);
} long_sleeps SEC(".maps");

static __u32 state_of(struct task_struct* task) {
  struct task_struct___old_state* old = (void*)task;
  if (bpf_core_field_exists(task->__state)) return BPF_CORE_READ(task, __state);
  return BPF_CORE_READ(old, state);
}

static void fall_asleep(void* context, struct task_struct* task, __u64 now) {
  const __u32 state = state_of(task) & 3;  // interruptible, uninterruptible
  if (!state || BPF_CORE_READ(task, flags) & 0x200000 /* PF_KTHREAD */) return;
  if (some_cpus) {
    const __u32 cpu = bpf_get_smp_processor_id();
    if (cpu >= kMostCpus || !chosen_cpus[cpu]) return;
  }
  struct asleep* sleep = bpf_task_storage_get(&sleepers, task, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
  if (!sleep) return;
  sleep->since = now;
  sleep->kind.pid = BPF_CORE_READ(task, tgid);
  sleep->kind.tid = BPF_CORE_READ(task, pid);
  sleep->kind.state = state;
  sleep->kind.cgroup = bpf_get_current_cgroup_id();
  sleep->kind.stack = bpf_get_stackid(context, &stacks, BPF_F_USER_STACK | BPF_F_FAST_STACK_CMP);
  if (sleep->kind.stack < 0) __sync_fetch_and_add(&lost_stacks, 1);
}

static void tell(struct sleep_kind* kind, __u64 end, __u64 duration) {
  struct long_sleep told = {.kind = *kind, .end = end, .duration = duration, .cpu = bpf_get_smp_processor_id()};
  if (bpf_ringbuf_output(&long_sleeps, &told, sizeof told, BPF_RB_NO_WAKEUP)) __sync_fetch_and_add(&lost_sleeps, 1);
}

static void wake(struct task_struct* task, __u64 now) {
  struct asleep* sleep = bpf_task_storage_get(&sleepers, task, 0, 0);
  if (!sleep || !sleep->since) return;
  const __u64 duration = now - sleep->since;
  sleep->since = 0;
  if (threshold && duration >= threshold) {
    tell(&sleep->kind, now, duration);
    return;
  }
  struct sleep_kind kind = sleep->kind;
  __u64* sum = bpf_map_lookup_elem(&sleeps, &kind);
  if (sum)
    *sum += duration;
  else if (bpf_map_update_elem(&sleeps, &kind, &duration, BPF_NOEXIST))
    __sync_fetch_and_add(&lost_sleeps, 1);
}

// Arguments: preempted, previous task (still the current one), next task.
SEC("tp_btf/sched_switch")
int watch_switch(__u64* context) {
  if (!running) return 0;
  const __u64 now = bpf_ktime_get_ns();
  struct task_struct* task = bpf_get_current_task_btf();
  if (!context[0] && current_row() >= 0) fall_asleep(context, task, now);
  wake((struct task_struct*)context[2], now);
  return 0;
}

char LICENSE[] SEC("license") = "GPL";
