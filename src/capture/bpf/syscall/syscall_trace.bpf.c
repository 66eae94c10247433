// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
// Traces system calls for syscall_tracer.cc. At entry, a call's arguments go into its thread's task storage; at exit,
// one record goes into the ring, without a wakeup, since the reader polls. With `summing`, calls are aggregated here
// and need no record.
#include "capture/bpf/syscall/syscall_trace.h"
#include "capture/bpf/kernel.bpf.h"
#include "capture/bpf/syscall/syscall_caller.bpf.h"
#include "capture/bpf/syscall/syscall_capture.bpf.h"

const volatile __u32 following = 0;  // trace only marked threads
const volatile __u32 children = 1;   // mark new children of marked threads
const volatile __u32 writing = 1, summing = 0;
const volatile __u32 sum_by_thread = 1, sum_by_cgroup = 0, sum_by_error = 0;
const volatile __u32 by_cpu = 0, by_user = 0, user = 0, by_cgroup = 0, cgroup_level = 0;
const volatile __u64 cgroup = 0;
const volatile __u8 cpus[1024];
// These filter records only: sums include all calls, as in linux-perf.
const volatile __u32 only_failed = 0;
const volatile __u64 least_duration = 0;
const volatile __u32 own_pid = 0;
const volatile __u32 excluding = 0;

enum { kEventNumber = 8, kEventArguments = 16 };  // offsets in syscalls:* records

__u32 running = 0;
__u32 narrow_only = 0;   // enter_one and leave_one trace 64-bit processes
__u32 narrow_begun = 0;  // a traced thread has executed a 32-bit program
__u64 lost_calls = 0, lost_sums = 0, lost_tasks = 0;
struct own_sum own_sums[kOwnSums] = {};
__u32 own_sums_taken = 0;

struct {
  __uint(type, BPF_MAP_TYPE_TASK_STORAGE);
  __uint(map_flags, BPF_F_NO_PREALLOC);
  __type(key, int);
  __type(value, struct traced_task);
} traced SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_HASH);
  __uint(map_flags, BPF_F_NO_PREALLOC);
  __uint(max_entries, 1);
  __type(key, struct call_key);
  __type(value, struct call_sum);
} sums SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_HASH);
  __uint(map_flags, BPF_F_NO_PREALLOC);
  __uint(max_entries, 1024);
  __type(key, __u32);
  __type(value, __u32);
} excluded SEC(".maps");

static bool is_compat(struct task_struct* task) {
  if (bpf_core_field_exists(struct pt_regs___arm, syscallno)) return task->thread_info.flags & 1UL << 22;
  return bpf_core_field_exists(task->thread_info.status) && task->thread_info.status & 2;
}

static void read_arguments(struct traced_call* call, struct pt_regs* x86, bool compat) {
  if (bpf_core_field_exists(x86->orig_ax)) {
    if (compat) {
      call->arguments[0] = (__u32)x86->bx;
      call->arguments[1] = (__u32)x86->cx;
      call->arguments[2] = (__u32)x86->dx;
      call->arguments[3] = (__u32)x86->si;
      call->arguments[4] = (__u32)x86->di;
      call->arguments[5] = (__u32)x86->bp;
      return;
    }
    call->arguments[0] = x86->di;
    call->arguments[1] = x86->si;
    call->arguments[2] = x86->dx;
    call->arguments[3] = x86->r10;
    call->arguments[4] = x86->r8;
    call->arguments[5] = x86->r9;
    return;
  }
  struct pt_regs___arm* arm = (void*)x86;
  for (int i = 0; i < kArguments; i++) call->arguments[i] = arm->regs[i];
}

static long number_at_exit(struct pt_regs* x86) {
  struct pt_regs___arm* arm = (void*)x86;
  if (bpf_core_field_exists(x86->orig_ax)) return x86->orig_ax;
  if (bpf_core_field_exists(arm->syscallno)) return arm->syscallno;
  return -1;
}

static void capture_at_entry(struct traced_task* task, __u32 call) {
  const volatile struct call_plan* plan = &plans[bounded(call) & (2 * kTracedCalls - 1)];
  for (__u32 i = 0; i < kCapturesPerCall; i++) {
    if (i >= plan->captures) break;
    if (!plan->capture[i].at_exit && !capture_piece(task, call, i)) task->missing |= 1 << i;
  }
}

// A page that was absent at entry is present now, since the call has read it: capture it again.
static void capture_at_exit(struct traced_task* task, __u32 call) {
  const volatile struct call_plan* plan = &plans[bounded(call) & (2 * kTracedCalls - 1)];
  for (__u32 i = 0; i < kCapturesPerCall; i++) {
    if (i >= plan->captures) break;
    const bool out = plan->capture[i].at_exit == kAtExit || (plan->capture[i].at_exit && task->call.result >= 0);
    const bool again = task->missing & 1 << i && !(plan->new_memory && task->call.result >= 0);
    if (out || again) capture_piece(task, call, i);
  }
}

static void write_name(struct traced_task* task) {
  struct traced_name* name = bpf_ringbuf_reserve(&ring, sizeof *name, 0);
  if (!name) return;
  name->kind = kTracedName;
  name->pid = task->call.pid;
  name->tid = task->call.tid;
  bpf_get_current_comm(name->comm, sizeof name->comm);
  bpf_ringbuf_submit(name, BPF_RB_NO_WAKEUP);
  task->named = 1;
}

static void write_call(struct traced_task* task) {
  if (!task->named) write_name(task);
  task->call.cpu = bpf_get_smp_processor_id();
  __u64 payload = task->call.payload;
  if (payload > kPayloadBytes + 8 + kPieceBytes) payload = 0;
  if (bpf_ringbuf_output(&ring, &task->call, sizeof task->call + payload, BPF_RB_NO_WAKEUP))
    __sync_fetch_and_add(&lost_calls, 1);
}

static __always_inline void add_call(struct call_sum* sum, __u64 time, bool failed) {
  sum->calls++;
  if (failed) sum->errors++;
  sum->total += time;
  if (time < sum->least) sum->least = time;
  if (time > sum->most) sum->most = time;
  const bool is_long = time >> 32;
  if (is_long) time >>= 16;
  const __u64 square = time * time;
  sum->squares_high += is_long ? square : square >> 32;
  if (!is_long) sum->squares_low += square & 0xffffffff;
}

// The thread's separate sum for this call, or 0 if all are taken. Compares the tid, because exec can change it.
static __always_inline struct call_sum* own_sum(struct traced_task* task, __u32 number) {
  __u16* place = &task->own_sum[bounded(number) & (kTracedCalls - 1)];
  struct own_sum* own = &own_sums[bounded(*place - 1) & (kOwnSums - 1)];
  if (*place && own->key.tid == task->call.tid) return &own->sum;
  if (own_sums_taken >= kOwnSums) return 0;
  const __u32 taken = __sync_fetch_and_add(&own_sums_taken, 1);
  if (taken >= kOwnSums) return 0;
  own = &own_sums[bounded(taken) & (kOwnSums - 1)];
  own->key.tid = task->call.tid;
  own->key.number = number;
  own->sum.least = -1ULL;
  *place = taken + 1;
  if (!task->named) write_name(task);
  return &own->sum;
}

// For threads without a separate sum. Shared sums are kept per CPU, because two threads adding to one sum would lose
// calls.
static void add_to_shared(struct traced_task* task, struct call_key* key, bool failed) {
  key->tid = sum_by_thread ? task->call.tid : bpf_get_smp_processor_id();
  if (sum_by_cgroup) key->cgroup = bpf_get_current_cgroup_id();
  struct call_sum* sum = bpf_map_lookup_elem(&sums, key);
  if (!sum) {
    struct call_sum fresh = {.least = -1ULL};
    bpf_map_update_elem(&sums, key, &fresh, BPF_NOEXIST);
    sum = bpf_map_lookup_elem(&sums, key);
    if (!task->named) write_name(task);
  }
  if (sum)
    add_call(sum, task->call.duration, failed);
  else
    __sync_fetch_and_add(&lost_sums, 1);
}

static __always_inline void add_up(struct traced_task* task) {
  const bool compat = task->call.flags & kTracedCompat;
  const bool failed = task->call.result < 0 && task->call.result >= -4095;
  struct call_key key = {.number = task->call.number + (compat ? kTracedCalls : 0)};
  if (sum_by_error && failed) key.error = -task->call.result;
  struct call_sum* sum = sum_by_cgroup || compat || key.error ? 0 : own_sum(task, task->call.number);
  if (sum)
    add_call(sum, task->call.duration, failed);
  else
    add_to_shared(task, &key, failed);
}

static __always_inline bool is_wanted(void) {
  if (by_cpu && !cpus[bpf_get_smp_processor_id() & 1023]) return false;
  if (by_user && (__u32)bpf_get_current_uid_gid() != user) return false;
  if (by_cgroup && bpf_get_current_ancestor_cgroup_id(cgroup_level) != cgroup) return false;
  return true;
}

static __always_inline struct traced_task* traced_now(struct task_struct* current) {
  struct traced_task* task = bpf_task_storage_get(&traced, current, 0, following ? 0 : BPF_LOCAL_STORAGE_GET_F_CREATE);
  if (!task) return 0;
  if (!task->known) {
    const __u64 ids = bpf_get_current_pid_tgid();
    task->call.pid = ids >> 32;
    task->call.tid = ids;
    task->known = 1;
    __u32 pid = task->call.pid, tid = task->call.tid;
    const bool out =
        pid == own_pid || (excluding && (bpf_map_lookup_elem(&excluded, &pid) || bpf_map_lookup_elem(&excluded, &tid)));
    if (out || (following && !task->followed)) task->known = 2;
  }
  return task->known == 1 ? task : 0;
}

// The index of a call's plan.
static __always_inline __u32 call_index(__u64 number, bool compat) {
  return bounded(number + (compat ? kTracedCalls : 0)) & (2 * kTracedCalls - 1);
}

static __always_inline const volatile struct call_plan* plan_of(__u64 number, bool compat) {
  if (number >= kTracedCalls) return 0;
  const volatile struct call_plan* plan = &plans[call_index(number, compat)];
  return plan->chosen ? plan : 0;
}

static __always_inline void end_call(void* context, struct traced_task* task) {
  if (!is_wanted()) return;
  if (summing) add_up(task);
  if (!writing || task->call.duration < least_duration) return;
  if (only_failed && !(task->call.result < 0 && task->call.result >= -4095)) return;
  capture_at_exit(task, call_index(task->call.number, task->call.flags & kTracedCompat));
  // If its caller cannot be written, a call counts as lost.
  if ((caller_frames || caller_stack) && !write_caller(context, task))
    __sync_fetch_and_add(&lost_calls, 1);
  else
    write_call(task);
}

// The arguments are in `registers` or, if that is null, in `event`, the record of the call's own tracepoint.
static __always_inline int begin_call(struct task_struct* current, struct pt_regs* registers, const void* event,
                                      __u64 number, bool compat) {
  const volatile struct call_plan* plan = plan_of(number, compat);
  if (!plan) return 0;
  struct traced_task* task = traced_now(current);
  if (!task) return 0;
  task->inside = 1;
  task->missing = 0;
  task->call.kind = kTracedCall;
  task->call.flags = compat ? kTracedCompat : 0;
  task->call.payload = 0;
  task->call.number = number;
  if (writing) {
    if (registers)
      read_arguments(&task->call, registers, compat);
    else
      bpf_probe_read_kernel(task->call.arguments, sizeof task->call.arguments, event + kEventArguments);
    if (plan->captures) capture_at_entry(task, call_index(number, compat));
  }
  task->call.start = bpf_ktime_get_ns();
  if (!plan->no_return || task->armed) return 0;
  task->call.flags |= kTracedUnended;
  task->call.duration = 0;
  task->call.result = 0;
  task->inside = 0;
  if (writing && is_wanted() && !only_failed && !least_duration) write_call(task);
  return 0;
}

static __always_inline int finish_call(void* context, struct task_struct* current, __u64 number, bool compat,
                                       long result) {
  struct traced_task* task = traced_now(current);
  if (!task || task->armed) return 0;
  const __u64 now = bpf_ktime_get_ns();
  if (!task->inside) {
    task->call.number = number;
    task->call.kind = kTracedCall;
    task->call.flags = kTracedContinued | (compat ? kTracedCompat : 0);
    task->call.payload = 0;
    task->call.start = now;
    task->missing = 0;
  }
  if (!plan_of(task->call.number, task->call.flags & kTracedCompat)) return 0;
  task->inside = 0;
  task->call.duration = now - task->call.start;
  task->call.result = result;
  end_call(context, task);
  return 0;
}

SEC("tp_btf/sys_enter")
int BPF_PROG(enter_call, struct pt_regs* registers, long number) {
  if (!running) return 0;
  struct task_struct* current = bpf_get_current_task_btf();
  const bool compat = is_compat(current);
  return narrow_only && !compat ? 0 : begin_call(current, registers, 0, number, compat);
}

SEC("tp_btf/sys_exit")
int BPF_PROG(leave_call, struct pt_regs* registers, long result) {
  if (!running) return 0;
  struct task_struct* current = bpf_get_current_task_btf();
  const bool compat = is_compat(current);
  return narrow_only && !compat ? 0 : finish_call(ctx, current, number_at_exit(registers), compat, result);
}

// Used when few calls are traced: these programs are attached to the calls' own tracepoints, so that other calls cost
// next to nothing. Those tracepoints do not fire in 32-bit processes; when such a process starts, the programs above
// are attached for it.
// They return 1: on 0, the kernel would hide the hit from everybody's samples of that tracepoint.
SEC("tp")
int enter_one(void* event) {
  __u32 number = 0;
  if (running && !bpf_probe_read_kernel(&number, sizeof number, event + kEventNumber))
    begin_call(bpf_get_current_task_btf(), 0, event, number, false);
  return 1;
}

SEC("tp")
int leave_one(void* event) {
  __u32 number = 0;
  long result = 0;
  if (running && !bpf_probe_read_kernel(&number, sizeof number, event + kEventNumber) &&
      !bpf_probe_read_kernel(&result, sizeof result, event + kEventArguments))
    finish_call(event, bpf_get_current_task_btf(), number, false, result);
  return 1;
}

SEC("tp_btf/sched_process_exec")
int BPF_PROG(see_exec, struct task_struct* task, int old_pid, struct linux_binprm* program) {
  const __u8 kElfClass32 = 1;
  if (narrow_begun || program->buf[4] != kElfClass32) return 0;
  if (following) {
    struct traced_task* traced_one = bpf_task_storage_get(&traced, task, 0, 0);
    if (!traced_one || !traced_one->followed) return 0;
  }
  narrow_begun = 1;
  return 0;
}

SEC("tp_btf/task_newtask")
int BPF_PROG(follow_child, struct task_struct* child) {
  if (!following || !children) return 0;
  struct traced_task* parent = bpf_task_storage_get(&traced, bpf_get_current_task_btf(), 0, 0);
  if (!parent || !parent->followed) return 0;
  struct traced_task* task = bpf_task_storage_get(&traced, child, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
  if (!task) {
    __sync_fetch_and_add(&lost_tasks, 1);
    return 0;
  }
  task->followed = 1;
  task->armed = parent->armed;
  return 0;
}

// This is also the first tracepoint after exec enables the enable_on_exec counters, so it ends `armed`.
SEC("tp_btf/task_rename")
int BPF_PROG(rename_task, struct task_struct* renamed) {
  struct traced_task* task = bpf_task_storage_get(&traced, renamed, 0, 0);
  if (!task) return 0;
  task->named = 0;
  if (task->known == 1) task->known = 0;  // exec gives the thread its process's tid
  if (renamed == bpf_get_current_task_btf()) task->armed = 0;
  return 0;
}

char LICENSE[] SEC("license") = "GPL";
