// TaskStory: what each task of a recording did, as replayable steps: run, sleep, wait for another task, wake another
// task.
//
// A wait is attributed to the task that ended it, if any; otherwise (woken by an interrupt or an idle CPU) the task
// waited for time or a device, which is a sleep. Idle tasks are ignored. Preemption is not a step: the run continues.
// An unfinished sleep is dropped. Times in ns.
#pragma once
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/sched/sched_event.h"
#include "base/types.h"
#include "data/reader/reader.h"
#include "machine/resolver/resolver.h"
#include "pipeline/replay/replay.h"

namespace peregrine {

struct StoryStep {
  enum class Kind : u8 { Run, Sleep, Await, Wake };
  Kind kind = Kind::Run;
  u64 ns = 0;            // Run, Sleep
  std::size_t task = 0;  // Wake: index of the woken task; Await: of the waker
};

struct StoryTask {
  u32 tid = 0;
  std::string comm;
  std::vector<StoryStep> steps;
};

class TaskStory : public SchedSink {
 public:
  explicit TaskStory(const data::Reader& reader) : SchedSink(reader) {}

  // In order of appearance.
  const std::vector<StoryTask>& tasks() const { return tasks_; }
  std::vector<StoryTask> take_tasks() { return std::move(tasks_); }
  // The recorded times of all events.
  const std::vector<u64>& times() const { return times_; }

 private:
  struct Course {
    bool running = false, asleep = false;
    u64 since = 0;
  };
  void happened(const SchedEvent& event, const ReplaySample& sample, Resolver& resolver) override;
  void switched(const SchedEvent& event);
  void woken(const SchedEvent& event);
  std::size_t task(u32 tid, std::string_view comm);
  // Adds the run up to `now`.
  void stop_running(std::size_t task, u64 now);
  void add(std::size_t task, StoryStep step);

  std::vector<StoryTask> tasks_;
  std::vector<Course> courses_;  // by task
  std::map<u32, std::size_t> numbers_;
  std::vector<u64> times_;
};

}  // namespace peregrine
