// The output of `sched replay`, in linux-perf's layout: how precisely runs and sleeps can be repeated here, the tasks,
// and a line for each round.
#pragma once
#include <vector>

#include "analysis/sched/task_story.h"
#include "base/types.h"
#include "output/sink.h"

namespace peregrine {

// In ns.
struct ReplayPrecision {
  u64 run_overhead = 0, sleep_overhead = 0;  // duration of a run and a sleep of length zero
  u64 run_test = 0, sleep_test = 0;          // the duration of a run and a sleep of one millisecond
};
void print_replay_precision(const ReplayPrecision& precision, Sink& out);

void print_story_tasks(const std::vector<StoryTask>& tasks, Sink& out);

// In ms. The CPU time is that of all threads.
struct ReplayRound {
  int number = 1;
  double ms = 0, mean = 0, cpu_ms = 0, cpu_mean = 0;
};
void print_replay_round(const ReplayRound& round, Sink& out);

}  // namespace peregrine
