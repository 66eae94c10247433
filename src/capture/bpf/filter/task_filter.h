// TaskFilter: of events that sample whole CPUs, keeps the samples of one process and its descendants, inside the
// kernel.
//
// Timers of threads start anew with each thread, those of CPUs run on: only these see threads that live shorter than
// the sampling period. open → attach → the process's exec, which starts it. Descriptors keep the program alive, this
// object what marks the children. One thread.
#pragma once
#include <memory>

#include "base/fd.h"
#include "base/result.h"
#include "sys/process/process.h"

struct task_filter;  // the skeleton that bpftool writes

namespace peregrine {

class TaskFilter {
 public:
  // Counts from the next exec of `process` on. Errors: the kernel's.
  static Result<TaskFilter> open(Pid process);
  TaskFilter(TaskFilter&&) noexcept;
  TaskFilter& operator=(TaskFilter&&) noexcept;
  ~TaskFilter();

  // Before the descriptor is enabled. Errors: events that have no overflow of their own, or have a program already.
  Result<> attach(int event);
  // Children that could not be marked: their samples are missing.
  u64 lost_tasks() const;

 private:
  struct Destroy {
    void operator()(task_filter* skeleton) const;
  };
  TaskFilter();

  std::unique_ptr<task_filter, Destroy> skeleton_;
  Fd on_exec_, on_child_;
};

}  // namespace peregrine
