#include "analysis/sched/task_story.h"

#include <cstddef>
#include <string_view>

#include "base/types.h"
#include "machine/resolver/resolver.h"
#include "pipeline/replay/replay.h"

namespace peregrine {

std::size_t TaskStory::task(u32 tid, std::string_view comm) {
  const auto [at, fresh] = numbers_.try_emplace(tid, tasks_.size());
  if (fresh) {
    tasks_.push_back({.tid = tid, .comm = {}, .steps = {}});
    courses_.emplace_back();
  }
  if (!comm.empty()) tasks_[at->second].comm = comm;
  return at->second;
}

void TaskStory::add(std::size_t task, StoryStep step) {
  auto& steps = tasks_[task].steps;
  if (step.kind == StoryStep::Kind::Run && !steps.empty() && steps.back().kind == StoryStep::Kind::Run)
    steps.back().ns += step.ns;
  else
    steps.push_back(step);
}

void TaskStory::stop_running(std::size_t task, u64 now) {
  Course& course = courses_[task];
  if (course.running && now > course.since) add(task, {StoryStep::Kind::Run, now - course.since, 0});
  course.since = now;
}

void TaskStory::happened(const SchedEvent& event, const ReplaySample&, Resolver&) {
  times_.push_back(event.time);
  if (event.kind == SchedKind::Switch)
    switched(event);
  else if (event.kind == SchedKind::Waking || event.kind == SchedKind::NewTask ||
           (event.kind == SchedKind::Wakeup && !has(SchedKind::Waking)))
    woken(event);
}

void TaskStory::switched(const SchedEvent& event) {
  if (event.task != 0) {
    const std::size_t leaver = task(event.task, event.comm);
    stop_running(leaver, event.time);
    courses_[leaver].running = false;
    courses_[leaver].asleep = event.state != 'R';
  }
  if (event.next == 0) return;
  const std::size_t comer = task(event.next, event.next_comm);
  Course& course = courses_[comer];
  // The wake-up was not recorded, so assume that the task slept until now.
  if (course.asleep && event.time > course.since) add(comer, {StoryStep::Kind::Sleep, event.time - course.since, 0});
  course = {.running = true, .asleep = false, .since = event.time};
}

void TaskStory::woken(const SchedEvent& event) {
  if (event.task == 0) return;
  const std::size_t sleeper = task(event.task, event.comm);
  const bool is_new = event.kind == SchedKind::NewTask && tasks_[sleeper].steps.empty();
  Course& course = courses_[sleeper];
  if (!course.asleep && !is_new) return;
  course.asleep = false;
  if (event.tid == 0 || event.tid == event.task || event.interrupting) {
    if (event.time > course.since && !is_new) add(sleeper, {StoryStep::Kind::Sleep, event.time - course.since, 0});
    return;
  }
  const std::size_t waker = task(event.tid, {});
  add(sleeper, {StoryStep::Kind::Await, 0, waker});
  stop_running(waker, event.time);
  add(waker, {StoryStep::Kind::Wake, 0, sleeper});
}

}  // namespace peregrine
