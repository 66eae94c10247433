// StoryLimit: bounds what a replay of tasks may do. A wrong time stamp in a file can make a task sleep for years, and a
// file can list a million tasks; a replay must not take that long.
//
// No task's steps exceed the limit, and all runs together fit on the available CPUs. Steps beyond that are shortened,
// down to zero; extra tasks are dropped together with the waits that they would have ended. Pure.
#pragma once
#include <cstddef>
#include <vector>

#include "analysis/sched/task_story.h"
#include "base/types.h"

namespace peregrine {

struct StoryLimit {
  u64 step_ns = ~u64{0};   // the longest run or sleep
  u64 round_ns = ~u64{0};  // per task for runs and sleeps, and per CPU for all runs
  unsigned cpus = 1;
  std::size_t tasks = ~std::size_t{0};
};

struct StoryCut {
  u64 steps = 0, nanoseconds = 0;  // number shortened, and by how much in total
  u64 tasks = 0;                   // dropped
  bool any() const { return steps != 0 || tasks != 0; }
};

StoryCut limit_story(std::vector<StoryTask>& tasks, const StoryLimit& limit);

// A plausible duration for these times: twice the span without the three first and three last, plus a second. Robust
// against a few wrong times.
u64 plausible_span(std::vector<u64> times);

}  // namespace peregrine
