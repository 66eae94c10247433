// Facts: the facts that determine which perf events are allowed, read from a `Root`: settings, capabilities,
// confinement of this process, tracefs, symbols. Read once, then plain data.
#pragma once
#include <optional>
#include <string>

#include "base/types.h"
#include "sys/kernel/host.h"
#include "sys/process/confinement.h"
#include "sys/process/limit.h"
#include "sys/root.h"
#include "sys/sandbox/sandbox.h"

namespace peregrine {

struct Facts {
  Host host;
  PerfLimits limits;
  Capabilities capabilities;
  Confinement confinement;
  std::optional<SandboxWalls> sandbox;  // what the kernel exposes to readers; unknown for a faked root
  std::string tracefs;                  // readable mount point; empty if none
  bool tracefs_mounted = false;         // mounted, readable or not
  bool kprobes = false, uprobes = false;
  bool btf = false;
  bool kernel_addresses = false;          // /proc/kallsyms shows them to this process
  bool has_kcore = false, kcore = false;  // /proc/kcore exists; is readable
  bool debug_files = false;               // /usr/lib/debug/.build-id
  std::string kernel_image;               // a vmlinux of the running kernel; empty if none
  std::string core_pmu;                   // the PMU of the cores: "cpu", "armv8_pmuv3_0"; empty if none
  std::optional<i64> nmi_watchdog;
  std::optional<ResourceLimit> open_files;
  std::optional<u64> tracepoint;  // a tracepoint's id, for the trial
};
Facts read_facts(const Root& root);

}  // namespace peregrine
