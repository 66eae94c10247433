// Trial of memory on machines with several nodes: processes with threads that work on memory which all of them, those
// of one process, or one thread alone has, for some time or some rounds.
//
// The processes share one piece of memory (NumaBoard) in which each thread says how far it is and on which node it
// runs; the caller, who is their parent, looks at it once in a while.
#pragma once
#include <functional>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/types.h"

namespace peregrine {

struct NumaPlan {
  unsigned processes = 1, threads = 0;                          // threads of each; 0: as many as there are CPUs
  u64 global = 0, process = 0, process_locked = 0, thread = 0;  // bytes
  i64 loops = -1;                                               // rounds of each thread; -1: until time is up
  unsigned seconds = 5, pause_us = 0, perturb_seconds = 0;
  bool reads = false, writes = false, backwards = false, random = false, fill = false;
  bool first_cpu = false, zero = false, randomize = false, serialize = false;
  bool until_converged = false;             // ends when each process runs on one node
  int huge = 0;                             // pages: < 0 no huge ones, > 0 huge ones
  std::vector<std::vector<int>> task_cpus;  // the first tasks are bound to these CPUs
  std::vector<int> task_nodes;              // and to the memory of these nodes
  unsigned tasks() const { return processes * threads; }
};

struct NumaTask {
  double seconds = 0;
  u64 bytes = 0, rounds = 0;
  int node = -1;  // where it ran last
};

struct NumaResult {
  std::vector<NumaTask> tasks;
  double startup = 0, converged = -1;  // seconds; -1: never
};

// "0,2-3x4": the CPUs of the first tasks. A range A-B is one task for each (or each %STEP-th), #LEN binds to so many
// CPUs from there on, xTIMES repeats. Errors: Usage.
Result<std::vector<std::vector<int>>> parse_task_cpus(std::string_view text);
// "0,1x3": the nodes of the first tasks.
Result<std::vector<int>> parse_task_nodes(std::string_view text);

// How many nodes the tasks of all processes spread over beyond one for each process; 0: converged.
unsigned stray_nodes(const NumaPlan& plan, const std::vector<NumaTask>& tasks);

// `started` is told how long that took; `look` sees all tasks once a second, with the seconds since the start. Errors:
// System.
Result<NumaResult> run_numa_memory(const NumaPlan& plan, const std::function<void(double)>& started,
                                   const std::function<void(double, const std::vector<NumaTask>&)>& look);

}  // namespace peregrine
