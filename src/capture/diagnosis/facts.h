// Facts: what a `Root` says of this machine and this process that decides what perf events may do: settings,
// capabilities, what confines the process, tracefs, symbols. Read once, pure data afterwards.
#pragma once
#include <optional>
#include <string>

#include "sys/kernel/host.h"
#include "sys/process/confinement.h"
#include "sys/process/limit.h"
#include "sys/sandbox/sandbox.h"

namespace peregrine {

struct Facts {
  Host host;
  PerfLimits limits;
  Capabilities capabilities;
  Confinement confinement;
  std::optional<SandboxWalls> sandbox;  // what the kernel offers readers; not known of a faked root
  std::string tracefs;                  // where it is mounted and readable; empty: nowhere
  bool tracefs_mounted = false;         // it is there, readable or not
  bool kprobes = false, uprobes = false;
  bool btf = false;
  bool kernel_addresses = false;          // /proc/kallsyms shows them to this process
  bool has_kcore = false, kcore = false;  // /proc/kcore can be read
  bool debug_files = false;               // /usr/lib/debug/.build-id
  std::string kernel_image;               // a vmlinux of the running kernel; empty: none
  std::string core_pmu;                   // the processor's counters: "cpu", "armv8_pmuv3_0"; empty: none
  std::optional<i64> nmi_watchdog;
  std::optional<ResourceLimit> open_files;
  std::optional<u64> tracepoint;  // the id of one, for the trial
};
Facts read_facts(const Root& root);

}  // namespace peregrine
