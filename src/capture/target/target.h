// Target: what a command observes, as the two axes of perf_event_open(2): CPUs and threads.
//
// make_target builds it from -a, -C, -p, -t, -u; set_workload adds a workload's pid later. The value -1 means "any CPU"
// or "every thread". Plain data.
#pragma once
#include <string>
#include <vector>

#include "base/result.h"
#include "sys/hardware/cpu.h"
#include "sys/process/process.h"
#include "sys/root.h"

namespace peregrine {

struct TargetRequest {
  bool system_wide = false;  // -a
  std::string cpus;          // -C, a list such as 0,2-3
  std::string pids;          // -p, comma-separated
  std::string tids;          // -t, comma-separated
  std::string user;          // -u as a decimal uid; cmd has resolved names
  bool per_thread = false;   // --per-thread: threads on any CPU
};

enum class TargetKind { Workload, Threads, Cpus };

struct Target {
  TargetKind kind = TargetKind::Workload;
  bool per_thread = false;
  CpuList cpus;                // CPUs chosen (-C) or online
  std::vector<Pid> threads;    // threads to observe, ascending; {-1} for all; {pid} of the workload
  std::vector<Pid> processes;  // -p as given: their future threads are inherited
  void set_workload(Pid pid) { threads = {pid}; }
};

// If choices exclude each other (-p with -a), keeps the stronger one, as linux-perf does; returns linux-perf's text for
// each dropped one, without a line end.
std::vector<std::string> drop_overridden(TargetRequest& request);
// Errors: Usage, not a list of numbers; NotFound, no such process or thread.
Result<Target> make_target(const Root& root, const TargetRequest& request);

// The running processes that the target's threads belong to, ascending; all of them if it is CPUs.
std::vector<Pid> processes_of(const Root& root, const Target& target);

}  // namespace peregrine
