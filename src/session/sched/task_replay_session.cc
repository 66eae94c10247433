#include "session/sched/task_replay_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <expected>
#include <thread>
#include <utility>
#include <vector>

#include "analysis/sched/story_limit.h"
#include "analysis/sched/task_story.h"
#include "base/result.h"
#include "base/text/counted.h"
#include "base/types.h"
#include "output/text/sched/task_replay_text.h"
#include "session/session_listener.h"
#include "trial/task_replay.h"

namespace peregrine {

namespace {

constexpr u64 kTestedTime = 1'000'000;  // ns
constexpr u64 kSecond = 1'000'000'000;  // ns

// The shortest of several measurements: caches are cold in the first.
u64 shortest(u64 (*measure)(u64)) {
  u64 best = measure(0);
  for (int i = 0; i < 10; ++i) best = std::min(best, measure(0));
  return best;
}

ReplayPrecision measured_precision() {
  return {.run_overhead = shortest(measured_run),
          .sleep_overhead = shortest(measured_sleep),
          .run_test = measured_run(kTestedTime),
          .sleep_test = measured_sleep(kTestedTime)};
}

std::vector<TaskSteps> steps_of(const std::vector<StoryTask>& tasks) {
  std::vector<TaskSteps> all;
  for (const StoryTask& task : tasks) {
    TaskSteps& steps = all.emplace_back();
    for (const StoryStep& step : task.steps) {
      using enum StoryStep::Kind;
      const TaskStep::Kind kind = step.kind == Run     ? TaskStep::Kind::Run
                                  : step.kind == Sleep ? TaskStep::Kind::Sleep
                                  : step.kind == Await ? TaskStep::Kind::Await
                                                       : TaskStep::Kind::Wake;
      steps.push_back({kind, step.ns, step.task});
    }
  }
  return all;
}

StoryLimit limit_of(const TaskReplayRequest& request, const TaskStory& story) {
  StoryLimit limit{.cpus = std::max<unsigned>(std::thread::hardware_concurrency(), 1)};
  if (request.tasks != 0) limit.tasks = request.tasks;
  if (request.round_seconds == 0) return limit;
  limit.round_ns = request.round_seconds * kSecond;
  limit.step_ns = std::min(limit.round_ns, plausible_span(story.times()));
  return limit;
}

void warn_about_cut(const StoryCut& cut, SessionListener& listener) {
  if (cut.tasks != 0)
    listener.warning(
        fmt::format("{} omitted: each needs a thread (see --max-tasks)", counted(cut.tasks, "task is", "tasks are")));
  if (cut.steps != 0)
    listener.warning(fmt::format("{} shortened by {:.3f} s in total: a round would take too long (see --max-time)",
                                 counted(cut.steps, "run or sleep is", "runs and sleeps are"),
                                 static_cast<double>(cut.nanoseconds) / 1e9));
}

void warn_about_late_round(u64 cut, u32 seconds, SessionListener& listener) {
  listener.warning(fmt::format("a round exceeded {} s: {} runs and sleeps were skipped or cut short (see --max-time)",
                               seconds, cut));
}

// A mean over the planned number of rounds: the first value is used for all missing ones.
struct RunningMean {
  double value = 0;
  void add(double next, int rounds) {
    constexpr int kEndless = 10;
    const double weight = rounds > 0 ? rounds : kEndless;
    value = value == 0 ? next : (value * (weight - 1) + next) / weight;
  }
};

}  // namespace

Result<> replay_tasks(TracedRecording& recording, const TaskReplayRequest& request, Sink& out,
                      SessionListener& listener) {
  TaskStory story(*recording.reader);
  PEREGRINE_TRY(replay_traced(recording, story, {}, listener));
  const StoryLimit limit = limit_of(request, story);
  std::vector<StoryTask> tasks = story.take_tasks();
  warn_about_cut(limit_story(tasks, limit), listener);
  print_replay_precision(measured_precision(), out);
  print_story_tasks(tasks, out);
  const std::vector<TaskSteps> steps = steps_of(tasks);
  auto replay = TaskReplay::start(steps);
  if (!replay) return std::unexpected(std::move(replay.error()));
  const u64 limit_ns = request.round_seconds == 0 ? ~u64{0} : request.round_seconds * kSecond;
  RunningMean elapsed, on_cpu;
  bool warned = false;  // all rounds are alike
  for (int round = 1; request.rounds < 0 || round <= request.rounds; ++round) {
    PEREGRINE_TRY(out.flush());
    const TaskReplay::Round took = replay->run(limit_ns);
    if (took.cut != 0 && !std::exchange(warned, true)) warn_about_late_round(took.cut, request.round_seconds, listener);
    const double ms = static_cast<double>(took.elapsed) / 1e6, cpu_ms = static_cast<double>(took.on_cpu) / 1e6;
    elapsed.add(ms, request.rounds);
    on_cpu.add(cpu_ms, request.rounds);
    print_replay_round({.number = round, .ms = ms, .mean = elapsed.value, .cpu_ms = cpu_ms, .cpu_mean = on_cpu.value},
                       out);
  }
  return {};
}

}  // namespace peregrine
