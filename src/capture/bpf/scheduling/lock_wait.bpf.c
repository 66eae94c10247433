// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
// Measures waits for the kernel's locks, for lock_watcher.cc: which lock, how long, by whom and from where. A wait is
// stored when it begins, and added to the sums of its kind when it ends.
#include "capture/bpf/scheduling/lock_wait.h"
#include "capture/bpf/watch.bpf.h"

const volatile __u32 by_lock = 0, by_task = 0, by_stack = 0, by_owner = 0, by_cgroup = 0;
const volatile __u32 some_cpus = 0;
const volatile __u8 chosen_cpus[kLockCpus];
// Filters: only these types, locks and cgroups; with a count of 0, all.
const volatile __u32 type_count = 0, lock_count = 0, cgroup_count = 0;
const volatile __u32 types[kLockFilters];
const volatile __u64 locks[kLockFilters];
const volatile __u64 cgroups[kLockFilters];

// Delay injection: whoever gets one of these locks after a wait holds it this many ns longer.
const volatile __u32 delay_count = 0;
const volatile __u64 delayed_locks[kLockFilters];
const volatile __u64 delays[kLockFilters];

__u64 injected = 0;  // number of delays injected
__u64 lost_waits = 0, lost_stacks = 0;

struct mutex {
  struct {
    long counter;
  } owner;
} __attribute__((preserve_access_index));

struct task_struct___named {
  int pid;
  char comm[kLockCommBytes];
} __attribute__((preserve_access_index));

// The lock is part of the key: an interrupt can wait for one lock while the task it interrupts waits for another.
struct wait_place {
  __u64 lock;
  __u32 tid;
  __u32 unused;
};
struct wait {
  __u64 since;
  struct lock_wait_key key;
  __u32 flags;
  __s32 stack;
  __u32 named;
  char comm[kLockCommBytes];
};

struct {
  __uint(type, BPF_MAP_TYPE_HASH);
  __uint(max_entries, 16384);
  __type(key, struct wait_place);
  __type(value, struct wait);
} waiting SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_HASH);
  __uint(max_entries, 10240);
  __type(key, struct lock_wait_key);
  __type(value, struct lock_wait_sums);
} waits SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_STACK_TRACE);
  __uint(key_size, sizeof(__u32));
  __uint(value_size, kLockFrames * sizeof(__u64));
  __uint(max_entries, kLockStacks);
} stacks SEC(".maps");

// All idle tasks have tid 0, so they are distinguished by CPU.
static struct wait_place place_of(__u64 lock) {
  struct wait_place place = {.lock = lock, .tid = (__u32)bpf_get_current_pid_tgid()};
  if (place.tid == 0) place.unused = bpf_get_smp_processor_id() + 1;
  return place;
}

static bool is_wanted(__u64 lock, __u32 flags) {
  bool wanted = type_count == 0;
  for (__u32 i = 0; i < kLockFilters && i < type_count; i++) wanted |= types[i] == flags;
  if (!wanted) return false;
  wanted = lock_count == 0;
  for (__u32 i = 0; i < kLockFilters && i < lock_count; i++) wanted |= locks[i] == lock;
  if (!wanted) return false;
  if (cgroup_count == 0) return true;
  const __u64 cgroup = bpf_get_current_cgroup_id();
  wanted = false;
  for (__u32 i = 0; i < kLockFilters && i < cgroup_count; i++) wanted |= cgroups[i] == cgroup;
  return wanted;
}

// Mutexes and write-locked semaphores store their owner, with flags in the low bits. Readers cannot be named.
static void name_owner(__u64 lock, struct wait* wait) {
  struct mutex* mutex = (void*)lock;
  const __u32 kMutex = 32, kWriter = 4, kReader = 2;
  wait->key.tid = (__u32)-1;
  if (!(wait->flags & kMutex) && wait->flags != kWriter && wait->flags != kReader) return;
  __u64 owner = 0;
  if (wait->flags & kMutex) {
    owner = BPF_CORE_READ(mutex, owner.counter);
  } else {
    // struct rw_semaphore { atomic_long_t count; atomic_long_t owner; }: bit 0 marks a reader
    bpf_probe_read_kernel(&owner, sizeof owner, (void*)(lock + sizeof(long)));
    if (owner & 1) return;
  }
  struct task_struct___named* task = (void*)(owner & ~7ULL);
  if (!task) return;
  wait->key.tid = BPF_CORE_READ(task, pid);
  wait->named = wait->key.tid;
  bpf_probe_read_kernel(wait->comm, sizeof wait->comm, (void*)task + bpf_core_field_offset(task->comm));
}

// Arguments: lock, flags.
SEC("tp_btf/contention_begin")
int begin_wait(__u64* context) {
  if (current_row() < 0) return 0;
  if (some_cpus) {
    const __u32 cpu = bpf_get_smp_processor_id();
    if (cpu >= kLockCpus || !chosen_cpus[cpu]) return 0;
  }
  const __u64 lock = context[0];
  const __u32 flags = context[1];
  if (!is_wanted(lock, flags)) return 0;
  const struct wait_place place = place_of(lock);
  if (bpf_map_lookup_elem(&waiting, &place)) return 0;  // a mutex begins twice: spinning, then sleeping
  struct wait wait = {.flags = flags, .stack = -1, .named = place.tid};
  if (by_lock) wait.key.lock = lock;
  if (by_task) wait.key.tid = place.tid;
  if (by_cgroup) wait.key.cgroup = bpf_get_current_cgroup_id();
  wait.stack = bpf_get_stackid(context, &stacks, BPF_F_FAST_STACK_CMP);
  if (wait.stack < 0) __sync_fetch_and_add(&lost_stacks, 1);
  if (by_stack) wait.key.stack = wait.stack;
  if (by_owner)
    name_owner(lock, &wait);
  else
    bpf_get_current_comm(wait.comm, sizeof wait.comm);
  wait.since = bpf_ktime_get_ns();
  if (bpf_map_update_elem(&waiting, &place, &wait, BPF_NOEXIST)) __sync_fetch_and_add(&lost_waits, 1);
  return 0;
}

static long is_over(__u32 round, __u64* until) { return bpf_ktime_get_ns() >= *until; }

static void delay_owner(__u64 lock) {
  __u64 delay = 0;
  for (__u32 i = 0; i < kLockFilters && i < delay_count; i++)
    if (delayed_locks[i] == lock) delay = delays[i];
  if (!delay) return;
  __u64 until = bpf_ktime_get_ns() + delay;
  bpf_loop(kDelayChecks, is_over, &until, 0);
  __sync_fetch_and_add(&injected, 1);
}

// Arguments: lock, result. Several CPUs may update a row at once: count and total are exact (atomic), but the longest
// or shortest wait may be missed if two waits end at the same moment.
SEC("tp_btf/contention_end")
int end_wait(__u64* context) {
  const struct wait_place place = place_of(context[0]);
  struct wait* wait = bpf_map_lookup_elem(&waiting, &place);
  if (!wait) return 0;
  const __u64 duration = bpf_ktime_get_ns() - wait->since;
  struct lock_wait_sums* sums = bpf_map_lookup_elem(&waits, &wait->key);
  if (!sums) {
    struct lock_wait_sums first = {.least = duration, .lock = place.lock, .flags = wait->flags};
    first.stack = wait->stack;
    first.tid = wait->named;
    __builtin_memcpy(first.comm, wait->comm, sizeof first.comm);
    bpf_map_update_elem(&waits, &wait->key, &first, BPF_NOEXIST);
    sums = bpf_map_lookup_elem(&waits, &wait->key);
  }
  if (sums) {
    __sync_fetch_and_add(&sums->count, 1);
    __sync_fetch_and_add(&sums->total, duration);
    if (duration > sums->most) sums->most = duration;
    if (duration < sums->least) sums->least = duration;
  } else {
    __sync_fetch_and_add(&lost_waits, 1);
  }
  bpf_map_delete_elem(&waiting, &place);
  if (delay_count && (int)context[1] == 0) delay_owner(place.lock);
  return 0;
}

char LICENSE[] SEC("license") = "GPL";
