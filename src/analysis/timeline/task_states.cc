#include "analysis/timeline/task_states.h"

#include <algorithm>
#include <cstddef>

namespace peregrine {

namespace {

constexpr std::size_t kMostCarried = 1U << 15;  // tasks with a state that continues in the next block

}  // namespace

TaskStates::Ongoing& TaskStates::at(u32 task) {
  if (ongoing_.size() <= task) {
    ongoing_.resize(std::size_t{task} + 1);
    run_times_.resize(std::size_t{task} + 1);
  }
  return ongoing_[task];
}

void TaskStates::sum(u64 time, Ongoing& ongoing) {
  const TaskSlice& slice = ongoing.slice;
  const u64 from = std::max(slice.start, ongoing.summed);
  ongoing.summed = std::max(time, from);
  if (time <= from) return;
  if (slice.state == kRuns) {
    overview_.add_time(SumKind::CpuRuns, slice.cpu, from, time, slice.task);
    overview_.add_time(SumKind::TaskRuns, slice.task, from, time);
    run_times_[slice.task] += time - from;
  } else if (slice.state == 'R') {
    overview_.add_time(SumKind::TaskWaits, slice.task, from, time);
  } else if (slice.state == 'D') {
    overview_.add_time(SumKind::TaskBlocks, slice.task, from, time);
  }
}

void TaskStates::close(u64 time, Ongoing& ongoing) {
  if (!ongoing.known || time < ongoing.slice.start) return;
  sum(time, ongoing);
  ongoing.slice.length = time - ongoing.slice.start;
  rows_.push_back(ongoing.slice);
}

void TaskStates::begin(u64 time, u32 task, TaskSlice slice) {
  Ongoing& ongoing = at(task);
  slice.start = time;
  slice.task = task;
  ongoing = {.slice = slice, .summed = time, .known = true, .ended = false};
}

void TaskStates::switched(u64 time, u32 cpu, u32 from, char state, u32 cause, u32 to, u64 block) {
  const auto [running, fresh] = running_.try_emplace(cpu, from);
  if (!fresh && running->second != from && running->second != kIdle) at(running->second).known = false;
  const bool expected = fresh || running->second == from;
  running->second = to;
  if (from != kIdle) {
    if (Ongoing& leaving = at(from); fresh && !leaving.known) begin(block, from, {.cpu = cpu});
    if (Ongoing& leaving = at(from); expected && leaving.known && leaving.slice.state == kRuns) close(time, leaving);
    if (state == 'X' || state == 'Z')
      at(from) = {.ended = true};
    else
      begin(time, from, {.state = state, .cause = cause});
  }
  if (to == kIdle) return;
  if (Ongoing& coming = at(to); coming.slice.state != kRuns) close(time, coming);
  begin(time, to, {.cpu = cpu});
}

void TaskStates::woken(u64 time, u32 task, u32 cause) {
  if (task == kIdle) return;
  Ongoing& ongoing = at(task);
  if (ongoing.known && (ongoing.slice.state == kRuns || ongoing.slice.state == 'R')) return;
  close(time, ongoing);
  begin(time, task, {.state = 'R', .cause = cause});
}

void TaskStates::ended(u64 time, u32 task) {
  Ongoing& ongoing = at(task);
  if (ongoing.known && ongoing.slice.state == kRuns) return;  // its last switch follows
  close(time, ongoing);
  ongoing = {.ended = true};
}

void TaskStates::cut(u64 time) {
  std::size_t count = 0;
  for (Ongoing& ongoing : ongoing_) {
    if (!ongoing.known || ongoing.slice.start >= time) continue;
    // A damaged recording must not have a row for each of its tasks in each of its blocks.
    if (++count > kMostCarried) {
      ongoing.known = false;
      ++dropped_;
      continue;
    }
    sum(time, ongoing);
    rows_.push_back(ongoing.slice);
    rows_.back().length = time - ongoing.slice.start;
    rows_.back().open = true;
  }
}

}  // namespace peregrine
