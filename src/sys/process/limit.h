// Limits: the kernel's limits for this process's use of perf events: sysctls, locked memory, descriptors, capabilities.
#pragma once
#include <optional>

#include "base/types.h"
#include "sys/root.h"

namespace peregrine {

// Values of /proc/sys/kernel/*; nullopt if the file is absent.
struct PerfLimits {
  std::optional<i64> paranoid;  // perf_event_paranoid
  std::optional<i64> kptr_restrict;
  std::optional<i64> max_sample_rate;  // perf_event_max_sample_rate, Hz
  std::optional<i64> max_stack;        // perf_event_max_stack, frames
  std::optional<i64> mlock_kb;         // perf_event_mlock_kb
  std::optional<i64> cpu_time_max_percent;
};
PerfLimits perf_limits(const Root& root);

enum class Capability : unsigned {  // as numbered in include/uapi/linux/capability.h
  DacOverride = 1,
  NetAdmin = 12,
  IpcLock = 14,
  SysPtrace = 19,
  SysAdmin = 21,
  SysNice = 23,
  SysResource = 24,
  Syslog = 34,
  Perfmon = 38,
  Bpf = 39,
};

struct Capabilities {
  u64 effective = 0;
  u64 permitted = 0;
  bool has(Capability c) const { return (effective >> static_cast<unsigned>(c)) & 1; }
  bool may_have(Capability c) const { return (permitted >> static_cast<unsigned>(c)) & 1; }
  // Whether the process has CAP_PERFMON, or CAP_SYS_ADMIN, which kernels before 5.8 require.
  bool may_trace() const { return has(Capability::Perfmon) || has(Capability::SysAdmin); }
};
// Reads CapEff and CapPrm of this process from /proc/self/status.
Capabilities capabilities(const Root& root);

// Whether perf_event_open(2) may look beyond this process's user space: paranoid < level, or privileged. Levels:
// CPU-wide events need paranoid < 1, kernel profiling < 2, kernel and raw tracepoints < 0.
bool paranoid_allows(const PerfLimits& limits, const Capabilities& caps, int level);

// Raises the soft RLIMIT_NOFILE to the hard limit. If privileged and `wanted` needs it, raises the hard limit too.
// Returns the resulting soft limit.
u64 raise_open_files(u64 wanted);
// Returns RLIMIT_MEMLOCK in bytes; the largest u64 means unlimited.
u64 locked_memory_limit();

}  // namespace peregrine
