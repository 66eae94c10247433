// sched replay: threads do again what the recorded tasks did, and how long they take for it here.
#include <algorithm>
#include <thread>
#include <utility>

#include "analysis/sched/story_limit.h"
#include "analysis/sched/task_story.h"
#include "base/text/counted.h"
#include "cmd/recording/traced_recording.h"
#include "cmd/sandbox/confined_reader.h"
#include "cmd/sched/sched_parts.h"
#include "output/text/format/printable.h"
#include "trial/task_replay.h"

namespace peregrine::cmd {

namespace {

constexpr u64 kTestedTime = 1'000'000;  // ns

struct ReplayedOptions {
  TracedInput input;
  int rounds = 10;
  u32 round_seconds = 60;
  u32 tasks = 16'384;
};
constexpr std::array kSchedReplayOwnRows{
    Option{.name = "repeat",
           .letter = 'r',
           .value = Value::Required,
           .metavar = "n",
           .help = "repeat N times (default: 10; -1: until interrupted)",
           .store = set<&ReplayedOptions::rounds>},
    Option{.name = "max-tasks",
           .value = Value::Required,
           .metavar = "n",
           .help = "replay the first N tasks only (default: 16384; 0: all)",
           .store = set<&ReplayedOptions::tasks>,
           .since = Since::Ours},
    Option{.name = "max-time",
           .value = Value::Required,
           .metavar = "seconds",
           .help = "shorten or skip runs and sleeps so that a round takes at most N seconds (default: 60; 0: no limit)",
           .store = set<&ReplayedOptions::round_seconds>,
           .since = Since::Ours},
};
constexpr auto kSchedReplayOptions = joined_rows(kSchedReplayOwnRows, kTracedInputRows<ReplayedOptions>);
constexpr std::string_view kSchedReplayDescription =
    "Starts a thread per recorded task, which runs and sleeps as long as the task did, and waits for and wakes the "
    "other threads in the recorded order. Each round prints the elapsed time and the CPU time in milliseconds, each "
    "with its running mean. The tasks' work on memory and files and their system calls are not repeated, and idle "
    "CPUs are left alone.";
constexpr std::string_view kSchedReplayExamples[] = {
    "perf sched record -- make|the scheduler events of a build",
    "perf sched replay -r 3|replay its runs, sleeps and wake-ups three times",
};

u64 count_steps(const std::vector<StoryTask>& tasks, std::initializer_list<StoryStep::Kind> kinds) {
  u64 count = 0;
  for (const StoryTask& task : tasks)
    count += static_cast<u64>(std::ranges::count_if(
        task.steps, [&](const StoryStep& step) { return std::ranges::find(kinds, step.kind) != kinds.end(); }));
  return count;
}

// The least of some: the first ones find caches cold.
u64 least(u64 (*measured)(u64)) {
  u64 best = measured(0);
  for (int i = 0; i < 10; ++i) best = std::min(best, measured(0));
  return best;
}

void print_test(Sink& out) {
  out.format("run measurement overhead: {} nsecs\n", least(measured_run));
  out.format("sleep measurement overhead: {} nsecs\n", least(measured_sleep));
  out.format("the run test took {} nsecs\n", measured_run(kTestedTime));
  out.format("the sleep test took {} nsecs\n", measured_sleep(kTestedTime));
}

void print_tasks(const std::vector<StoryTask>& tasks, Sink& out) {
  using enum StoryStep::Kind;
  out.format("nr_run_events:        {}\n", count_steps(tasks, {Run}));
  out.format("nr_sleep_events:      {}\n", count_steps(tasks, {Sleep, Await}));
  out.format("nr_wakeup_events:     {}\n", count_steps(tasks, {Wake}));
  std::size_t number = 0;
  for (const StoryTask& task : tasks)
    out.format("task {:6} ({:>20}:{:10}), nr_events: {}\n", number++, printable(task.comm), task.tid,
               task.steps.size());
  out.fill('-', 60).append('\n');
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

StoryLimit limit_of(const ReplayedOptions& options, const TaskStory& story) {
  StoryLimit limit{.cpus = std::max<unsigned>(std::thread::hardware_concurrency(), 1)};
  if (options.tasks != 0) limit.tasks = options.tasks;
  if (options.round_seconds == 0) return limit;
  limit.round_ns = u64{options.round_seconds} * 1'000'000'000;
  limit.step_ns = std::min(limit.round_ns, plausible_span(story.times()));
  return limit;
}

void warn_about_cut(const StoryCut& cut, Messages& messages) {
  if (cut.tasks != 0)
    messages.warning(fmt::format("{} left out: a thread would be started for each (see --max-tasks)",
                                 counted(cut.tasks, "task is", "tasks are")));
  if (cut.steps != 0)
    messages.warning(fmt::format("{} shortened, by {:.3f} s altogether: a round would take too long (see --max-time)",
                                 counted(cut.steps, "run or sleep is", "runs and sleeps are"),
                                 static_cast<double>(cut.nanoseconds) / 1e9));
}

// Once: the rounds are alike.
void warn_about_late_round(u64 cut, const ReplayedOptions& options, Messages& messages) {
  messages.warning(
      fmt::format("a round took longer than {} s: it ended with {} runs and sleeps skipped or cut short "
                  "(see --max-time)",
                  options.round_seconds, cut));
}

// A mean in which each round weighs as one of as many as there are to be.
struct RunningMean {
  double value = 0;
  void add(double next, int rounds) {
    constexpr int kEndless = 10;
    const double weight = rounds > 0 ? rounds : kEndless;
    value = value == 0 ? next : (value * (weight - 1) + next) / weight;
  }
};

Result<int> sched_replay(ReplayedOptions& options, Invocation& call) {
  if (options.rounds == 0 || options.rounds < -1)
    return fail(ErrorKind::Usage, "-r: {} is no number of rounds; -1 is for ever", options.rounds);
  if (options.input.dump) return dump_traced(options.input, call);
  auto recording = open_traced(options.input, {.force = options.input.force}, call);
  if (!recording) return kNotOpened;
  TaskStory story(*recording->reader);
  PEREGRINE_TRY(replay_traced(*recording, story, call));
  const StoryLimit limit = limit_of(options, story);
  std::vector<StoryTask> tasks = story.take_tasks();
  warn_about_cut(limit_story(tasks, limit), call.messages);
  print_test(call.out);
  print_tasks(tasks, call.out);
  const std::vector<TaskSteps> steps = steps_of(tasks);
  auto replay = TaskReplay::start(steps);
  if (!replay) return std::unexpected(std::move(replay.error()));
  const u64 limit_ns = options.round_seconds == 0 ? ~u64{0} : u64{options.round_seconds} * 1'000'000'000;
  RunningMean elapsed, on_cpu;
  bool is_cut = false;
  for (int round = 1; options.rounds < 0 || round <= options.rounds; ++round) {
    PEREGRINE_TRY(call.out.flush());
    const TaskReplay::Round took = replay->run(limit_ns);
    if (took.cut != 0 && !std::exchange(is_cut, true)) warn_about_late_round(took.cut, options, call.messages);
    const double ms = static_cast<double>(took.elapsed) / 1e6, cpu_ms = static_cast<double>(took.on_cpu) / 1e6;
    elapsed.add(ms, options.rounds);
    on_cpu.add(cpu_ms, options.rounds);
    call.out.format("#{:<3}: {:.3f}, ravg: {:.2f}, cpu: {:.2f} / {:.2f}\n", round, ms, elapsed.value, cpu_ms,
                    on_cpu.value);
  }
  return 0;
}

}  // namespace

constinit const Command kSchedReplay{.name = "sched replay",
                                     .summary = "Replay the recorded runs, sleeps and wake-ups",
                                     .options = kSchedReplayOptions,
                                     .description = kSchedReplayDescription,
                                     .examples = kSchedReplayExamples,
                                     .run = entry<ReplayedOptions, confined<ReplayedOptions, sched_replay>>};

}  // namespace peregrine::cmd
