#include "output/text/sched/task_replay_text.h"

#include <algorithm>
#include <cstddef>
#include <initializer_list>

#include "base/types.h"
#include "output/text/format/printable.h"
#include "output/text/format/text_table.h"

namespace peregrine {

namespace {

u64 count_steps(const std::vector<StoryTask>& tasks, std::initializer_list<StoryStep::Kind> kinds) {
  u64 count = 0;
  for (const StoryTask& task : tasks)
    count += static_cast<u64>(std::ranges::count_if(
        task.steps, [&](const StoryStep& step) { return std::ranges::find(kinds, step.kind) != kinds.end(); }));
  return count;
}

}  // namespace

void print_replay_precision(const ReplayPrecision& precision, Sink& out) {
  out.format("run measurement overhead: {} nsecs\n", precision.run_overhead);
  out.format("sleep measurement overhead: {} nsecs\n", precision.sleep_overhead);
  out.format("the run test took {} nsecs\n", precision.run_test);
  out.format("the sleep test took {} nsecs\n", precision.sleep_test);
}

void print_story_tasks(const std::vector<StoryTask>& tasks, Sink& out) {
  using enum StoryStep::Kind;
  out.format("nr_run_events:        {}\n", count_steps(tasks, {Run}));
  out.format("nr_sleep_events:      {}\n", count_steps(tasks, {Sleep, Await}));
  out.format("nr_wakeup_events:     {}\n", count_steps(tasks, {Wake}));
  std::size_t number = 0;
  for (const StoryTask& task : tasks)
    out.format("task {:6} ({:>20}:{:10}), nr_events: {}\n", number++, printable(task.comm), task.tid,
               task.steps.size());
  append_ruler(out, '-', 60);
}

void print_replay_round(const ReplayRound& round, Sink& out) {
  out.format("#{:<3}: {:.3f}, ravg: {:.2f}, cpu: {:.2f} / {:.2f}\n", round.number, round.ms, round.mean, round.cpu_ms,
             round.cpu_mean);
}

}  // namespace peregrine
