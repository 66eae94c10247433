// TaskStory: what each task of a recording did, as steps that can be done again: it ran, it slept for a time, it waited
// until another task woke it, it woke another.
//
// A wait belongs to the task that ended it where a task did; what an interrupt or an idle CPU woke had waited for time
// or a device, and slept. The idle tasks are no tasks. Being preempted is no step: a task's run goes on. A sleep that
// did not end is left out. Times in ns.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "analysis/sched/sched_event.h"

namespace peregrine {

struct StoryStep {
  enum class Kind : u8 { Run, Sleep, Await, Wake };
  Kind kind = Kind::Run;
  u64 ns = 0;            // Run, Sleep
  std::size_t task = 0;  // Wake: index of the task that is woken; Await: of the one that wakes
};

struct StoryTask {
  u32 tid = 0;
  std::string comm;
  std::vector<StoryStep> steps;
};

class TaskStory : public SchedSink {
 public:
  explicit TaskStory(const data::Reader& reader) : SchedSink(reader) {}

  // In the order in which they were first seen.
  const std::vector<StoryTask>& tasks() const { return tasks_; }
  std::vector<StoryTask> take_tasks() { return std::move(tasks_); }
  // When each event happened, as it is recorded.
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
  // Writes down how long it has run until now.
  void stop_running(std::size_t task, u64 now);
  void add(std::size_t task, StoryStep step);

  std::vector<StoryTask> tasks_;
  std::vector<Course> courses_;  // by task
  std::map<u32, std::size_t> numbers_;
  std::vector<u64> times_;
};

}  // namespace peregrine
