// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
// Records the owners of user-space locks that threads are about to wait for, for futex_owners.cc. At sys_enter_futex
// the lock's word is still as the waiter saw it.
#include "capture/bpf/scheduling/futex_owner.h"
#include "capture/bpf/kernel.bpf.h"

// Offsets of the arguments in the tracepoint's record.
const volatile __u32 address_at = 16;
const volatile __u32 operation_at = 24;

struct {
  __uint(type, BPF_MAP_TYPE_RINGBUF);
  __uint(max_entries, 1 << 20);
} waits SEC(".maps");

// Returns 1: on 0, the kernel would hide the hit from everybody's samples of that tracepoint.
SEC("tp")
int keep_owner(void* context) {
  struct futex_wait wait = {};
  bpf_probe_read_kernel(&wait.operation, sizeof wait.operation, context + operation_at);
  wait.operation &= 127;  // drops FUTEX_PRIVATE_FLAG and FUTEX_CLOCK_REALTIME
  // FUTEX_WAIT, FUTEX_LOCK_PI, FUTEX_WAIT_BITSET, FUTEX_LOCK_PI2
  if (wait.operation != 0 && wait.operation != 6 && wait.operation != 9 && wait.operation != 13) return 1;
  bpf_probe_read_kernel(&wait.address, sizeof wait.address, context + address_at);
  __u32 words[3] = {};
  if (bpf_probe_read_user(words, sizeof words, (void*)wait.address) == 0) {
    wait.word = words[0];
    wait.owner = words[2];
  } else if (bpf_probe_read_user(&wait.word, sizeof wait.word, (void*)wait.address)) {
    return 1;
  }
  wait.tid = (__u32)bpf_get_current_pid_tgid();
  wait.time = bpf_ktime_get_ns();
  bpf_ringbuf_output(&waits, &wait, sizeof wait, BPF_RB_NO_WAKEUP);  // ring full: owner unknown
  return 1;
}

char LICENSE[] SEC("license") = "GPL";
