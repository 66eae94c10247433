// NUMA memory benchmark: processes with threads that work on memory shared by all, by a process, or private to a
// thread, for a given time or number of rounds.
//
// The processes share one piece of memory (NumaBoard) where each thread posts its progress and current node; the
// caller, their parent, reads it periodically.
#pragma once
#include <functional>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/types.h"

namespace peregrine {

struct NumaPlan {
  unsigned processes = 1, threads = 0;                          // threads per process; 0: number of CPUs
  u64 global = 0, process = 0, process_locked = 0, thread = 0;  // bytes
  i64 loops = -1;                                               // rounds per thread; -1: until time is up
  unsigned seconds = 5, pause_us = 0, perturb_seconds = 0;
  bool reads = false, writes = false, backwards = false, random = false, fill = false;
  bool first_cpu = false, zero = false, randomize = false, serialize = false;
  bool until_converged = false;             // end when each process runs on one node
  int huge = 0;                             // huge pages: < 0 never, > 0 always
  std::vector<std::vector<int>> task_cpus;  // bind the first tasks to these CPUs
  std::vector<int> task_nodes;              // and to memory of these nodes
  unsigned tasks() const { return processes * threads; }
};

struct NumaTask {
  double seconds = 0;
  u64 bytes = 0, rounds = 0;
  int node = -1;  // node where it last ran
};

struct NumaResult {
  std::vector<NumaTask> tasks;
  double startup = 0, converged = -1;  // seconds; -1: never
};

// Parses "0,2-3x4": the CPUs of the first tasks. A range A-B is one task per CPU (or per %STEP-th), #LEN binds to that
// many CPUs from there, xTIMES repeats. Errors: Usage.
Result<std::vector<std::vector<int>>> parse_task_cpus(std::string_view text);
// Parses "0,1x3": the nodes of the first tasks.
Result<std::vector<int>> parse_task_nodes(std::string_view text);

// The number of nodes that processes' tasks use beyond one per process; 0: converged.
unsigned stray_nodes(const NumaPlan& plan, const std::vector<NumaTask>& tasks);

// Calls `started` with the startup time; calls `look` every second with all tasks and the seconds since the start.
// Errors: System.
Result<NumaResult> run_numa_memory(const NumaPlan& plan, const std::function<void(double)>& started,
                                   const std::function<void(double, const std::vector<NumaTask>&)>& look);

}  // namespace peregrine
