// sched map: which task was on which CPU, switch by switch.
#include <array>
#include <expected>
#include <string>
#include <utility>

#include "base/result.h"
#include "base/text/words.h"
#include "cli/frame/command.h"
#include "cli/frame/parts.h"
#include "cli/option/option.h"
#include "cli/option/store.h"
#include "cmd/recording/traced_recording.h"
#include "cmd/sandbox/confined_reader.h"
#include "cmd/sched/sched_parts.h"
#include "session/sched/sched_session.h"
#include "sys/hardware/cpu.h"

namespace peregrine::cmd {

namespace {

struct MapOptions {
  TracedInput input;
  bool compact = false, fuzzy = false;
  std::string cpus, colored_cpus, colored_tasks, tasks;
};
constexpr std::array kSchedMapOwnRows{
    Option{.name = "color-cpus",
           .value = Value::Required,
           .metavar = "cpus",
           .help = "highlight these CPUs",
           .store = set<&MapOptions::colored_cpus>},
    Option{.name = "color-pids",
           .value = Value::Required,
           .metavar = "pids",
           .help = "highlight these tasks",
           .store = set<&MapOptions::colored_tasks>},
    Option{.name = "compact",
           .help = "show only CPUs with switches, in order of appearance",
           .store = set<&MapOptions::compact>},
    Option{.name = "cpus",
           .value = Value::Required,
           .metavar = "cpus",
           .help = "show only these CPUs",
           .store = set<&MapOptions::cpus>},
    Option{.name = "fuzzy-name",
           .help = "with --task-name: match parts of names",
           .store = set<&MapOptions::fuzzy>,
           .since = Since::Ours},
    Option{.name = "task-name",
           .value = Value::Required,
           .metavar = "name[,name...]",
           .help = "show only tasks with these names, and others as `-'",
           .store = set<&MapOptions::tasks>,
           .since = Since::Ours},
};
constexpr auto kSchedMapOptions = joined_rows(kSchedMapOwnRows, kTracedInputRows<MapOptions>);

Result<int> sched_map(MapOptions& options, Invocation& call) {
  auto cpus = numbers_of(options.cpus, "--cpus", kHighestCpu);
  auto colored_cpus = numbers_of(options.colored_cpus, "--color-cpus", kHighestCpu);
  auto colored_tasks = numbers_of(options.colored_tasks, "--color-pids");
  for (const auto* list : {&cpus, &colored_cpus, &colored_tasks})
    if (!*list) return std::unexpected(list->error());
  // Pipes and files get no escape sequences.
  if (!call.out_is_terminal) {
    colored_cpus->clear();
    colored_tasks->clear();
  }
  if (options.input.dump) return dump_traced(options.input, call);
  auto recording = open_traced(options.input, {.force = options.input.force}, call);
  if (!recording) return kNotOpened;
  const SwitchMapRequest request{.look = {.colored_cpus = std::move(*colored_cpus),
                                          .colored_tasks = std::move(*colored_tasks),
                                          .compact = options.compact,
                                          .all_names = options.input.verbose > 0},
                                 .cpus = std::move(*cpus),
                                 .tasks = split_words(options.tasks),
                                 .fuzzy = options.fuzzy};
  PEREGRINE_TRY(show_switch_map(*recording, request, call.out, call.messages));
  return 0;
}

}  // namespace

constinit const Command kSchedMap{.name = "sched map",
                                  .summary = "Show which task ran on which CPU",
                                  .options = kSchedMapOptions,
                                  .run = entry<MapOptions, confined<MapOptions, sched_map>>};

}  // namespace peregrine::cmd
