// sched map: who was on which CPU, switch by switch.
#include <algorithm>

#include "analysis/sched/switch_map.h"
#include "base/text/counted.h"
#include "cmd/recording/traced_recording.h"
#include "cmd/sandbox/confined_reader.h"
#include "cmd/sched/sched_parts.h"
#include "output/text/sched/switch_map_text.h"
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
           .help = "only these CPUs",
           .store = set<&MapOptions::cpus>},
    Option{.name = "fuzzy-name",
           .help = "with --task-name: match parts of names",
           .store = set<&MapOptions::fuzzy>,
           .since = Since::Ours},
    Option{.name = "task-name",
           .value = Value::Required,
           .metavar = "name[,name...]",
           .help = "only tasks with these names; others appear as `-'",
           .store = set<&MapOptions::tasks>,
           .since = Since::Ours},
};
constexpr auto kSchedMapOptions = joined_rows(kSchedMapOwnRows, kTracedInputRows<MapOptions>);

// Each switch is a line with all columns, so their number multiplies what a recording costs. More than these are shown
// only of a machine that has them, as the header says.
constexpr u32 kMostUnannouncedColumns = 1024;

Result<int> sched_map(MapOptions& options, Invocation& call) {
  auto cpus = numbers_of(options.cpus, "--cpus", kHighestCpu);
  auto colored_cpus = numbers_of(options.colored_cpus, "--color-cpus", kHighestCpu);
  auto colored_tasks = numbers_of(options.colored_tasks, "--color-pids");
  for (const auto* list : {&cpus, &colored_cpus, &colored_tasks})
    if (!*list) return std::unexpected(list->error());
  if (options.input.dump) return dump_traced(options.input, call);
  auto recording = open_traced(options.input, {.force = options.input.force}, call);
  if (!recording) return kNotOpened;
  const SwitchMapLook look{std::move(*colored_cpus), std::move(*colored_tasks), options.compact,
                           options.input.verbose > 0};
  const u32 most_columns = std::max(recording->cpus(), kMostUnannouncedColumns);
  SwitchMap map(*recording->reader, {.cpus = options.compact ? 0 : recording->cpus(),
                                     .most_columns = most_columns,
                                     .chosen = std::move(*cpus),
                                     .tasks = split_words(options.tasks),
                                     .fuzzy = options.fuzzy,
                                     .show = [&](const SwitchMapRow& row) { print_switch(row, look, call.out); }});
  PEREGRINE_TRY(replay_traced(*recording, map, call));
  if (map.hidden() != 0)
    call.messages.warning(
        fmt::format("{} not shown: there are {} columns at most (--cpus chooses others)",
                    counted(map.hidden(), "switch on further CPUs is", "switches on further CPUs are"), most_columns));
  return 0;
}

}  // namespace

constinit const Command kSchedMap{.name = "sched map",
                                  .summary = "Show which task ran on which CPU",
                                  .options = kSchedMapOptions,
                                  .run = entry<MapOptions, confined<MapOptions, sched_map>>};

}  // namespace peregrine::cmd
