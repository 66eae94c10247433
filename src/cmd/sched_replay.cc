// sched replay: threads do again what the recorded tasks did, and how long they take for it here.
#include <algorithm>

#include "analysis/sched/task_story.h"
#include "cmd/sched_parts.h"
#include "cmd/traced_recording.h"
#include "output/text/printable.h"
#include "trial/task_replay.h"

namespace peregrine::cmd {

namespace {

constexpr u64 kTestedTime = 1'000'000;  // ns

struct ReplayedOptions {
  TracedInput input;
  int rounds = 10;
};
constexpr std::array kOwn{
    Option{.name = "repeat",
           .letter = 'r',
           .value = Value::Required,
           .metavar = "n",
           .help = "so many rounds (default: 10; -1: until it is interrupted)",
           .store = set<&ReplayedOptions::rounds>},
};
constexpr auto kOptions = joined_rows(kOwn, kTracedInputRows<ReplayedOptions>);
constexpr std::string_view kDescription =
    "A thread for each recorded task runs as long on a CPU, sleeps as long, and waits for and wakes the others in the "
    "recorded order. Each round tells the milliseconds that passed, their running mean, and the milliseconds on CPUs, "
    "with their mean. What tasks do with memory, files and the kernel is not done again, and idle CPUs are left alone.";
constexpr std::string_view kExamples[] = {
    "perf sched record -- make|the scheduler's events of a build",
    "perf sched replay -r 3|its runs, sleeps and wake-ups again, three times",
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
  print_test(call.out);
  print_tasks(story.tasks(), call.out);
  const std::vector<TaskSteps> steps = steps_of(story.tasks());
  auto replay = TaskReplay::start(steps);
  if (!replay) return std::unexpected(std::move(replay.error()));
  RunningMean elapsed, on_cpu;
  for (int round = 1; options.rounds < 0 || round <= options.rounds; ++round) {
    PEREGRINE_TRY(call.out.flush());
    const TaskReplay::Round took = replay->run();
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
                                     .summary = "Do again what the tasks did",
                                     .options = kOptions,
                                     .description = kDescription,
                                     .examples = kExamples,
                                     .run = entry<ReplayedOptions, sched_replay>};

}  // namespace peregrine::cmd
