// StoryLimit: keeps what tasks do again within bounds. A time stamp that a file holds wrong makes a task sleep for
// years, and a file can name a million tasks: whoever replays it must not wait for that.
//
// No task does more than fits into the limit, and all runs together fit on the CPUs that there are. Steps beyond are
// shortened, down to nothing; tasks beyond are left out, with the waits that they would have ended. Pure.
#pragma once
#include <span>

#include "analysis/sched/task_story.h"

namespace peregrine {

struct StoryLimit {
  u64 step_ns = ~u64{0};   // the longest run or sleep
  u64 round_ns = ~u64{0};  // of each task's runs and sleeps, and of all runs for each CPU
  unsigned cpus = 1;
  std::size_t tasks = ~std::size_t{0};
};

struct StoryCut {
  u64 steps = 0, nanoseconds = 0;  // shortened, by how much altogether
  u64 tasks = 0;                   // left out
  bool any() const { return steps != 0 || tasks != 0; }
};

StoryCut limit_story(std::vector<StoryTask>& tasks, const StoryLimit& limit);

// How long these moments can have taken in truth: twice the span of all but the three first and the three last, and a
// second. A few wrong times among them change nothing.
u64 plausible_span(std::vector<u64> times);

}  // namespace peregrine
