// sched timehist: each run of a task on a CPU, and what the task waited for before it.
#include <array>
#include <expected>
#include <string>
#include <utility>

#include "base/result.h"
#include "cli/frame/command.h"
#include "cli/frame/cpu_row.h"
#include "cli/frame/parts.h"
#include "cli/option/option.h"
#include "cli/option/store.h"
#include "cmd/recording/recording_rows.h"
#include "cmd/recording/traced_recording.h"
#include "cmd/sandbox/confined_reader.h"
#include "cmd/sched/sched_parts.h"
#include "session/sched/sched_session.h"
#include "sys/hardware/cpu.h"

namespace peregrine::cmd {

namespace {

struct TimehistOptions {
  TracedInput input;
  SymbolOptions symbols;
  std::string cpus, pids, tids, times, priorities;
  bool chains = true, idle = false, migrations = false, next = false, summary = false, with_summary = false;
  bool picture = false, wakeups = false, state = false, pre_migrations = false, show_priority = false;
  unsigned max_stack = 5;
};
constexpr std::array kSchedTimehistOwnRows{
    Option{.name = "call-graph",
           .letter = 'g',
           .help = "show the call chain of each switch, if recorded (default)",
           .store = set<&TimehistOptions::chains>},
    kCpuRow<&TimehistOptions::cpus>,
    Option{.name = "cpu-visual",
           .letter = 'V',
           .help = "add a column that shows the CPU",
           .store = set<&TimehistOptions::picture>},
    Option{.name = "idle-hist",
           .letter = 'I',
           .help = "show only idle times of CPUs; with -s: by the task that ran before",
           .store = set<&TimehistOptions::idle>},
    kKallsymsRow<&TimehistOptions::symbols, &SymbolOptions::kallsyms>,
    Option{.name = "max-stack",
           .value = Value::Required,
           .metavar = "n",
           .help = "show at most N frames",
           .store = set<&TimehistOptions::max_stack>},
    Option{.name = "migrations",
           .letter = 'M',
           .help = "also show migrations to other CPUs",
           .store = set<&TimehistOptions::migrations>},
    Option{.name = "next", .letter = 'n', .help = "also show the next task", .store = set<&TimehistOptions::next>},
    Option{.name = "pid",
           .letter = 'p',
           .value = Value::Required,
           .metavar = "pid[,pid...]",
           .help = "show only tasks of these processes",
           .store = set<&TimehistOptions::pids>},
    Option{.name = "pre-migrations",
           .letter = 'P',
           .help = "show how much of each delay passed before the task migrated to its CPU",
           .store = set<&TimehistOptions::pre_migrations>,
           .since = Since::Ours},
    Option{.name = "prio",
           .value = Value::Required,
           .metavar = "prio[,prio...]",
           .help = "show only tasks with these priorities",
           .store = set<&TimehistOptions::priorities>,
           .since = Since::Ours},
    Option{.name = "show-prio",
           .help = "also show the priorities of the previous and next task",
           .store = set<&TimehistOptions::show_priority>,
           .since = Since::Ours},
    Option{.name = "state",
           .help = "also show each task's state when it left the CPU",
           .store = set<&TimehistOptions::state>},
    Option{.name = "summary", .letter = 's', .help = "print only the summary", .store = set<&TimehistOptions::summary>},
    kSymfsRow<&TimehistOptions::symbols, &SymbolOptions::symfs>,
    Option{.name = "tid",
           .letter = 't',
           .value = Value::Required,
           .metavar = "tid[,tid...]",
           .help = "show only these tasks",
           .store = set<&TimehistOptions::tids>},
    Option{.name = "time",
           .value = Value::Required,
           .metavar = "start,stop",
           .help = "show only this time span, in seconds; either end may be omitted",
           .store = set<&TimehistOptions::times>},
    kVmlinuxRow<&TimehistOptions::symbols, &SymbolOptions::vmlinux>,
    Option{.name = "wakeups", .letter = 'w', .help = "also show wake-ups", .store = set<&TimehistOptions::wakeups>},
    Option{.name = "with-summary",
           .letter = 'S',
           .help = "also print the summary at the end",
           .store = set<&TimehistOptions::with_summary>},
};
constexpr auto kSchedTimehistOptions = joined_rows(kSchedTimehistOwnRows, kTracedInputRows<TimehistOptions>);

// The tasks and CPUs to show. Errors: Usage.
Result<TimeHistoryRequest> history_request(const TimehistOptions& options) {
  auto cpus = numbers_of(options.cpus, "-C", kHighestCpu), pids = numbers_of(options.pids, "-p"),
       tids = numbers_of(options.tids, "-t");
  auto priorities = numbers_of(options.priorities, "--prio");
  for (const auto* list : {&cpus, &pids, &tids, &priorities})
    if (!*list) return std::unexpected(list->error());
  TimeHistoryRequest request{.which = {},
                             .times = options.times,
                             .look = {.picture = options.picture,
                                      .wakeups = options.wakeups,
                                      .migrations = options.migrations,
                                      .next = options.next,
                                      .state = options.state,
                                      .priority = options.show_priority,
                                      .pre_migrations = options.pre_migrations,
                                      .chain_depth = options.chains ? options.max_stack : 0},
                             .chains = options.chains,
                             .lines = !options.summary,
                             .sums = options.summary || options.with_summary};
  request.which.idle_only = options.idle;
  request.which.filter.cpus = std::move(*cpus);
  request.which.filter.pids = std::move(*pids);
  request.which.filter.tids = std::move(*tids);
  request.which.priorities.assign(priorities->begin(), priorities->end());
  return request;
}

Result<> check_timehist(const TimehistOptions& options) {
  if (options.summary && options.wakeups)
    return fail(ErrorKind::Usage, "-s cannot be combined with -w (--wakeups): it shows only sums");
  if (options.summary && options.next)
    return fail(ErrorKind::Usage, "-s cannot be combined with -n (--next): it shows only sums");
  return {};
}

Result<int> sched_timehist(TimehistOptions& options, Invocation& call) {
  PEREGRINE_TRY(check_timehist(options));
  if (options.input.dump) return dump_traced(options.input, call);
  auto request = history_request(options);
  if (!request) return std::unexpected(std::move(request.error()));
  options.symbols.force = options.input.force;
  auto recording = open_traced(options.input, options.symbols, call);
  if (!recording) return kNotOpened;
  PEREGRINE_TRY(show_time_history(*recording, std::move(*request), call.out, call.messages));
  return 0;
}

}  // namespace

constinit const Command kSchedTimehist{.name = "sched timehist",
                                       .summary = "Show each run of a task on a CPU",
                                       .options = kSchedTimehistOptions,
                                       .run = entry<TimehistOptions, confined<TimehistOptions, sched_timehist>>};

}  // namespace peregrine::cmd
