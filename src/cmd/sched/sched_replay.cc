// sched replay: threads repeat what the recorded tasks did, and how long that takes on this machine.
#include <array>
#include <string_view>

#include "base/result.h"
#include "cli/frame/command.h"
#include "cli/frame/parts.h"
#include "cli/option/option.h"
#include "cli/option/store.h"
#include "cmd/recording/traced_recording.h"
#include "cmd/sandbox/confined_reader.h"
#include "cmd/sched/sched_parts.h"
#include "session/sched/task_replay_session.h"

namespace peregrine::cmd {

namespace {

struct ReplayedOptions {
  TracedInput input;
  TaskReplayRequest replay;
};
constexpr std::array kSchedReplayOwnRows{
    Option{.name = "repeat",
           .letter = 'r',
           .value = Value::Required,
           .metavar = "n",
           .help = "repeat N times (default: 10; -1: until interrupted)",
           .store = set<&ReplayedOptions::replay, &TaskReplayRequest::rounds>},
    Option{.name = "max-tasks",
           .value = Value::Required,
           .metavar = "n",
           .help = "replay only the first N tasks (default: 16384; 0: all)",
           .store = set<&ReplayedOptions::replay, &TaskReplayRequest::tasks>,
           .since = Since::Ours},
    Option{.name = "max-time",
           .value = Value::Required,
           .metavar = "seconds",
           .help = "shorten or skip runs and sleeps so that a round takes at most N seconds (default: 60; 0: no limit)",
           .store = set<&ReplayedOptions::replay, &TaskReplayRequest::round_seconds>,
           .since = Since::Ours},
};
constexpr auto kSchedReplayOptions = joined_rows(kSchedReplayOwnRows, kTracedInputRows<ReplayedOptions>);
constexpr std::string_view kSchedReplayDescription =
    "Starts one thread per recorded task. The thread runs and sleeps as long as the task did, and waits for and wakes "
    "other threads in the recorded order. Each round prints the elapsed time and the CPU time in milliseconds, with "
    "their running means. Memory accesses, file accesses and system calls are not repeated, and idle tasks are not "
    "replayed.";
constexpr std::string_view kSchedReplayExamples[] = {
    "perf sched record -- make|the scheduler events of a build",
    "perf sched replay -r 3|replay it three times",
};

Result<int> sched_replay(ReplayedOptions& options, Invocation& call) {
  const int rounds = options.replay.rounds;
  if (rounds == 0 || rounds < -1)
    return fail(ErrorKind::Usage, "invalid -r '{}': must be a number of rounds, or -1 to repeat until interrupted",
                rounds);
  if (options.input.dump) return dump_traced(options.input, call);
  auto recording = open_traced(options.input, {.force = options.input.force}, call);
  if (!recording) return kNotOpened;
  PEREGRINE_TRY(replay_tasks(*recording, options.replay, call.out, call.messages));
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
