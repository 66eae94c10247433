#include "machine/tracing_code.h"

#include <gtest/gtest.h>

namespace peregrine {
namespace {

TEST(TracingCode, IsBetweenTracepointsAndTheirCallers) {
  for (const char* name : {"perf_trace_kmalloc", "__traceiter_sched_switch", "trace_event_raw_event_block_rq",
                           "perf_syscall_enter", "syscall_trace_enter", "syscall_trace_enter.constprop.0",
                           "do_syscall_64", "entry_SYSCALL_64_after_hwframe", "el0t_64_sync_handler", "bpf_trace_run2"})
    EXPECT_TRUE(is_tracing_code(name)) << name;
  for (const char* name : {"", "schedule", "kmalloc_trace", "__kmalloc", "do_sys_openat2", "trace_clock", "el0_svcs",
                           "vfs_read", "do_syscall_64x"})
    EXPECT_FALSE(is_tracing_code(name)) << name;
}

}  // namespace
}  // namespace peregrine
