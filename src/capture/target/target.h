// Target: whom a command observes, as the two axes that perf_event_open(2) knows: CPUs and threads.
//
// Made from the words of -a, -C, -p, -t, -u by make_target; a workload's pid joins later by set_workload. One axis
// value -1 means "any CPU" or "every thread". Pure data.
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
  std::string cpus;          // -C list, "" when not given
  std::string pids;          // -p, comma separated
  std::string tids;          // -t
  std::string user;          // -u: a name was made a number by cmd; decimal uid
  bool per_thread = false;   // --per-thread: threads on any CPU
};

enum class TargetKind { Workload, Threads, Cpus };

struct Target {
  TargetKind kind = TargetKind::Workload;
  bool per_thread = false;
  CpuList cpus;                // CPUs chosen (-C) or online
  std::vector<Pid> threads;    // threads to observe, ascending; {-1} for all; {pid} of the workload
  std::vector<Pid> processes;  // -p as given: their later threads are inherited
  void set_workload(Pid pid) { threads = {pid}; }
};

// Errors (Usage, NotFound): words that are no list of numbers, a process or thread that is not there.
Result<Target> make_target(const Root& root, const TargetRequest& request);

}  // namespace peregrine
