#include "analysis/sched/story_limit.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "base/types.h"

namespace peregrine {
namespace {

constexpr u64 kSecond = 1'000'000'000;

u64 product(u64 a, u64 b) { return b != 0 && a > ~u64{0} / b ? ~u64{0} : a * b; }

// If either task of a wake-up is dropped, both the wait and the wake-up are. Every remaining wait keeps its wake-up, so
// replaying the recorded order cannot deadlock.
void leave_out(std::vector<StoryTask>& tasks, std::size_t kept) {
  tasks.resize(kept);
  for (StoryTask& task : tasks)
    std::erase_if(task.steps, [&](const StoryStep& step) {
      return (step.kind == StoryStep::Kind::Wake || step.kind == StoryStep::Kind::Await) && step.task >= kept;
    });
}

}  // namespace

StoryCut limit_story(std::vector<StoryTask>& tasks, const StoryLimit& limit) {
  StoryCut cut;
  if (tasks.size() > limit.tasks) {
    cut.tasks = tasks.size() - limit.tasks;
    leave_out(tasks, limit.tasks);
  }
  u64 runs_left = product(limit.round_ns, limit.cpus);
  for (StoryTask& task : tasks) {
    u64 left = limit.round_ns;
    for (StoryStep& step : task.steps) {
      const bool is_run = step.kind == StoryStep::Kind::Run;
      if (!is_run && step.kind != StoryStep::Kind::Sleep) continue;
      const u64 most = std::min({limit.step_ns, left, is_run ? runs_left : left});
      if (step.ns > most) {
        ++cut.steps;
        const u64 less = step.ns - most;
        cut.nanoseconds = cut.nanoseconds > ~u64{0} - less ? ~u64{0} : cut.nanoseconds + less;
        step.ns = most;
      }
      left -= step.ns;
      if (is_run) runs_left -= step.ns;
    }
  }
  return cut;
}

u64 plausible_span(std::vector<u64> times) {
  if (times.empty()) return kSecond;
  const std::size_t edge = std::min<std::size_t>(times.size() / 4, 3);
  const auto early = times.begin() + static_cast<std::ptrdiff_t>(edge);
  std::ranges::nth_element(times, early);
  const u64 first = *early;
  const auto late = times.end() - 1 - static_cast<std::ptrdiff_t>(edge);
  std::ranges::nth_element(times, late);
  const u64 span = product(*late - std::min(first, *late), 2);
  return span > ~u64{0} - kSecond ? ~u64{0} : span + kSecond;
}

}  // namespace peregrine
