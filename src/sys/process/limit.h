// Limits: the kernel's limits for this process's use of perf events: sysctls, locked memory, descriptors, capabilities.
#pragma once
#include <optional>

#include "sys/root.h"

namespace peregrine {

// Values of /proc/sys/kernel/*; nullopt where the file is absent.
struct PerfLimits {
  std::optional<i64> paranoid;  // perf_event_paranoid
  std::optional<i64> kptr_restrict;
  std::optional<i64> max_sample_rate;  // perf_event_max_sample_rate, Hz
  std::optional<i64> max_stack;        // perf_event_max_stack, frames
  std::optional<i64> mlock_kb;         // perf_event_mlock_kb
  std::optional<i64> cpu_time_max_percent;
};
PerfLimits perf_limits(const Root& root);

enum class Capability : unsigned {  // numbers of include/uapi/linux/capability.h
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
  // CAP_PERFMON, or CAP_SYS_ADMIN, which kernels before 5.8 ask for.
  bool may_trace() const { return has(Capability::Perfmon) || has(Capability::SysAdmin); }
};
// Of this process: CapEff and CapPrm of /proc/self/status.
Capabilities capabilities(const Root& root);

// perf_event_open(2) by this process may look beyond its own user space: paranoid < level, or privileged.
// Levels: CPU-wide events need paranoid < 1, kernel profiling < 2, kernel and raw tracepoints < 0.
bool paranoid_allows(const PerfLimits& limits, const Capabilities& caps, int level);

// Raises the soft RLIMIT_NOFILE to the hard limit, and the hard one too when privileged and `wanted` needs it.
// Returns the resulting soft limit.
u64 raise_open_files(u64 wanted);
// RLIMIT_MEMLOCK in bytes; the largest u64 when unlimited.
u64 locked_memory_limit();

}  // namespace peregrine
