// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
// Filters events that sample whole CPUs: keeps the samples of watched threads and their children. For task_filter.cc.
#include "capture/bpf/follow.bpf.h"

SEC("perf_event")
int keep_followed(void* context) { return followed(bpf_get_current_task_btf()) != 0; }

char LICENSE[] SEC("license") = "GPL";
