// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
// Measures how long tasks, interrupts and softirqs use each CPU, for cpu_usage_watcher.cc. Each event charges the time
// since the last one to whatever had the CPU: the current task, or what interrupts it.
#include "capture/bpf/scheduling/cpu_usage.h"
#include "capture/bpf/kernel.bpf.h"

const volatile __u32 some_cpus = 0;
const volatile __u8 chosen_cpus[kUsageCpus];

__u32 running = 0;
__u64 lost_time = 0;

struct task_struct___named {
  int pid;
  char comm[kUsageCommBytes];
} __attribute__((preserve_access_index));

struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(max_entries, 1);  // user space sets it to the number of CPUs
  __type(key, __u32);
  __type(value, struct cpu_course);
} courses SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_HASH);
  __uint(max_entries, kUsageTasks);
  __type(key, struct usage_key);
  __type(value, struct task_usage);
} tasks SEC(".maps");

static void charge_task(const struct cpu_course* course, __u32 cpu, __u64 span) {
  const struct usage_key key = {.tid = course->tid, .cpu = course->tid ? 0 : cpu};
  struct task_usage* usage = bpf_map_lookup_elem(&tasks, &key);
  if (!usage) {
    struct task_usage fresh = {};
    bpf_map_update_elem(&tasks, &key, &fresh, BPF_NOEXIST);
    usage = bpf_map_lookup_elem(&tasks, &key);
  }
  if (!usage) {
    __sync_fetch_and_add(&lost_time, span);
    return;
  }
  __sync_fetch_and_add(&usage->runtime, span);
  bpf_get_current_comm(usage->comm, sizeof usage->comm);
}

// Returns this CPU's course, charged up to now, or 0 if this CPU is not measured.
static struct cpu_course* charge(void) {
  const __u32 cpu = bpf_get_smp_processor_id();
  if (!running || (some_cpus && !(cpu < kUsageCpus && chosen_cpus[cpu]))) return 0;
  struct cpu_course* course = bpf_map_lookup_elem(&courses, &cpu);
  if (!course) return 0;
  const __u64 now = bpf_ktime_get_ns();
  const __u64 since = __sync_lock_test_and_set(&course->since, now);
  if (!since) {
    course->tid = (__u32)bpf_get_current_pid_tgid();
    bpf_get_current_comm(course->comm, sizeof course->comm);
    return course;
  }
  // An interrupt between reading the clock and the exchange has charged a later time already: put that back.
  if (now <= since) {
    course->since = since;
    return course;
  }
  const __u64 span = now - since;
  course->total += span;
  if (course->irqs) {
    course->irq += span;
  } else if (course->softirqs) {
    course->softirq += span;
  } else {
    if (!course->tid) course->idle += span;
    charge_task(course, cpu, span);
  }
  return course;
}

// Arguments: preempted, previous task, next task.
SEC("tp_btf/sched_switch")
int switch_task(__u64* context) {
  struct cpu_course* course = charge();
  if (!course) return 0;
  struct task_struct___named* comes = (void*)context[2];
  course->tid = BPF_CORE_READ(comes, pid);
  bpf_probe_read_kernel(course->comm, sizeof course->comm, (void*)comes + bpf_core_field_offset(comes->comm));
  course->irqs = course->softirqs = 0;
  return 0;
}

SEC("tp_btf/irq_handler_entry")
int enter_irq(__u64* context) {
  struct cpu_course* course = charge();
  if (course) course->irqs++;
  return 0;
}

SEC("tp_btf/irq_handler_exit")
int leave_irq(__u64* context) {
  struct cpu_course* course = charge();
  if (course && course->irqs) course->irqs--;
  return 0;
}

SEC("tp_btf/softirq_entry")
int enter_softirq(__u64* context) {
  struct cpu_course* course = charge();
  if (course) course->softirqs++;
  return 0;
}

SEC("tp_btf/softirq_exit")
int leave_softirq(__u64* context) {
  struct cpu_course* course = charge();
  if (course && course->softirqs) course->softirqs--;
  return 0;
}

char LICENSE[] SEC("license") = "GPL";
