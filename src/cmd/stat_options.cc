#include "cmd/stat_options.h"

#include "cmd/command_table.h"
#include "event/parse.h"

namespace peregrine::cmd {

namespace {

Result<> add_events(StatRequest& request, const Use& use) {
  if (use.negated) {
    request.events.clear();
    return {};
  }
  request.last_word = request.events.size();
  return parse_events(use.value, request.sources, request.events);
}

Result<> add_filter(StatRequest& request, const Use& use) {
  return set_filter(request.events, request.last_word, use.value);
}

Result<> set_interval(StatRequest& request, const Use& use) {
  auto interval = store_detail::number<unsigned>(use);
  if (!interval) return std::unexpected(std::move(interval.error()));
  if (*interval == 0) return fail(ErrorKind::Usage, "print interval must be >= 1ms");
  request.interval_ms = *interval;
  return {};
}

template <StatAggregation kAggregation>
constexpr Store kAggregateBy = assign<&StatRequest::aggregation, kAggregation>;

constexpr Option kOptions[] = {
    {.name = "transaction", .letter = 'T', .help = "hardware transaction statistics"},
    {.name = "event",
     .letter = 'e',
     .value = Value::Required,
     .metavar = "event",
     .help = "event selector. use 'perf list' to list available events",
     .store = call<add_events>},
    {.name = "filter",
     .value = Value::Required,
     .metavar = "filter",
     .help = "event filter",
     .store = call<add_filter>},
    {.name = "no-inherit",
     .letter = 'i',
     .help = "child tasks do not inherit counters",
     .store = assign<&StatRequest::inherit, false>},
    {.name = "pid",
     .letter = 'p',
     .value = Value::Required,
     .metavar = "pid",
     .help = "stat events on existing process id",
     .store = set<&StatRequest::target, &TargetRequest::pids>},
    {.name = "tid",
     .letter = 't',
     .value = Value::Required,
     .metavar = "tid",
     .help = "stat events on existing thread id",
     .store = set<&StatRequest::target, &TargetRequest::tids>},
    {.name = "all-cpus",
     .letter = 'a',
     .help = "system-wide collection from all CPUs",
     .store = set<&StatRequest::target, &TargetRequest::system_wide>},
    {.name = "group",
     .letter = 'g',
     .help = "put the counters into a counter group",
     .store = set<&StatRequest::group>},
    {.name = "scale",
     .help = "Use --no-scale to disable counter scaling for multiplexing",
     .store = set<&StatRequest::scale>},
    {.name = "verbose",
     .letter = 'v',
     .help = "be more verbose (show counter open errors, etc)",
     .store = count<&StatRequest::verbose>},
    {.name = "repeat",
     .letter = 'r',
     .value = Value::Required,
     .metavar = "n",
     .help = "repeat command and print average + stddev (max: 100, forever: 0)",
     .store = set<&StatRequest::repeat>},
    {.name = "table",
     .help = "display details about each run (only with -r option)",
     .store = set<&StatRequest::table>},
    {.name = "null", .letter = 'n', .help = "null run - dont start any counters", .store = set<&StatRequest::null_run>},
    {.name = "detailed",
     .letter = 'd',
     .help = "detailed run - start a lot of events",
     .store = count<&StatRequest::detail>},
    {.name = "sync", .letter = 'S', .help = "call sync() before starting a run", .store = set<&StatRequest::sync>},
    {.name = "big-num",
     .letter = 'B',
     .help = "print large numbers with thousands' separators",
     .store = set<&StatRequest::big_numbers>},
    {.name = "cpu",
     .letter = 'C',
     .value = Value::Required,
     .metavar = "cpu",
     .help = "list of cpus to monitor in system-wide",
     .store = set<&StatRequest::target, &TargetRequest::cpus>},
    {.name = "no-aggr",
     .letter = 'A',
     .help = "disable CPU count aggregation",
     .store = kAggregateBy<StatAggregation::Cpu>},
    {.name = "no-merge", .help = "Do not merge identical named events"},
    {.name = "hybrid-merge", .help = "Merge identical named hybrid events"},
    {.name = "field-separator",
     .letter = 'x',
     .value = Value::Required,
     .metavar = "separator",
     .help = "print counts with custom separator",
     .store = set<&StatRequest::separator>},
    {.name = "json-output", .letter = 'j', .help = "print counts in JSON format", .store = set<&StatRequest::json>},
    {.name = "cgroup",
     .letter = 'G',
     .value = Value::Required,
     .metavar = "name",
     .help = "monitor event in cgroup name only"},
    {.name = "for-each-cgroup", .value = Value::Required, .metavar = "name", .help = "expand events for each cgroup"},
    {.name = "output",
     .letter = 'o',
     .value = Value::Required,
     .metavar = "file",
     .help = "output file name",
     .store = set<&StatRequest::output>},
    {.name = "append", .help = "append to the output file", .store = set<&StatRequest::append>},
    {.name = "log-fd",
     .value = Value::Required,
     .metavar = "n",
     .help = "log output to fd, instead of stderr",
     .store = set<&StatRequest::log_fd>},
    {.name = "pre",
     .value = Value::Required,
     .metavar = "command",
     .help = "command to run prior to the measured command",
     .store = set<&StatRequest::before>},
    {.name = "post",
     .value = Value::Required,
     .metavar = "command",
     .help = "command to run after to the measured command",
     .store = set<&StatRequest::after>},
    {.name = "interval-print",
     .letter = 'I',
     .value = Value::Required,
     .metavar = "n",
     .help = "print counts at regular interval in ms (overhead is possible for values <= 100ms)",
     .store = call<set_interval>},
    {.name = "interval-count",
     .value = Value::Required,
     .metavar = "n",
     .help = "print counts for fixed number of times",
     .store = set<&StatRequest::interval_count>},
    {.name = "interval-clear",
     .help = "clear screen in between new interval",
     .store = set<&StatRequest::interval_clear>},
    {.name = "timeout",
     .value = Value::Required,
     .metavar = "n",
     .help = "stop workload and print counts after a timeout period in ms (>= 10ms)",
     .store = set<&StatRequest::timeout_ms>},
    {.name = "per-socket",
     .help = "aggregate counts per processor socket",
     .store = kAggregateBy<StatAggregation::Socket>},
    {.name = "per-die", .help = "aggregate counts per processor die", .store = kAggregateBy<StatAggregation::Die>},
    {.name = "per-core",
     .help = "aggregate counts per physical processor core",
     .store = kAggregateBy<StatAggregation::Core>},
    {.name = "per-thread", .help = "aggregate counts per thread", .store = kAggregateBy<StatAggregation::Thread>},
    {.name = "per-node", .help = "aggregate counts per numa node", .store = kAggregateBy<StatAggregation::Node>},
    {.name = "delay",
     .letter = 'D',
     .value = Value::Required,
     .metavar = "n",
     .help = "ms to wait before starting measurement after program start (-1: start with events disabled)",
     .store = set<&StatRequest::delay_ms>},
    {.name = "metric-only", .help = "Only print computed metrics. No raw values"},
    {.name = "metric-no-group", .help = "don't group metric events, impacts multiplexing"},
    {.name = "metric-no-merge", .help = "don't try to share events between metrics in a group"},
    {.name = "topdown", .help = "measure top-down statistics"},
    {.name = "td-level",
     .value = Value::Required,
     .metavar = "n",
     .help = "Set the metrics level for the top-down statistics (0: max level)"},
    {.name = "smi-cost", .help = "measure SMI cost"},
    {.name = "metrics",
     .letter = 'M',
     .value = Value::Required,
     .metavar = "metric/metric group list",
     .help = "monitor specified metrics or metric groups (separated by ,)"},
    {.name = "all-kernel",
     .help = "Configure all used events to run in kernel space.",
     .store = set<&StatRequest::all_kernel>},
    {.name = "all-user",
     .help = "Configure all used events to run in user space.",
     .store = set<&StatRequest::all_user>},
    {.name = "percore-show-thread",
     .help =
         "Use with 'percore' event qualifier to show the event counts of one hardware thread by sum up total hardware "
         "threads of same physical core"},
    {.name = "summary", .help = "print summary for interval mode", .store = set<&StatRequest::summary>},
    {.name = "no-csv-summary",
     .help = "don't print 'summary' for CSV summary output",
     .store = set<&StatRequest::no_csv_summary>},
    {.name = "quiet",
     .help = "don't print any output, messages or warnings (useful with record)",
     .store = set<&StatRequest::quiet>},
    {.name = "cputype",
     .value = Value::Required,
     .metavar = "hybrid cpu type",
     .help = "Only enable events on applying cpu with this type for hybrid platform (e.g. core or atom)"},
    {.name = "control",
     .value = Value::Required,
     .metavar = "fd:ctl-fd[,ack-fd] or fifo:ctl-fifo[,ack-fifo]",
     .help =
         "Listen on ctl-fd descriptor for command to control measurement ('enable': enable events, 'disable': disable "
         "events).\n\t\t\t  Optionally send control command completion ('ack\\n') to ack-fd descriptor.\n\t\t\t  "
         "Alternatively, ctl-fifo / ack-fifo will be opened and used as ctl-fd / ack-fd."},
    {.name = "iostat",
     .value = Value::Sticky,
     .metavar = "default",
     .help = "measure I/O performance metrics provided by arch/platform",
     .implied = "default"},
};
constexpr std::string_view kUsage[] = {"[<options>] [<command>]"};
constexpr std::string_view kExamples[] = {
    "perf stat make|what a command costs",
    "perf stat -r 5 -e task-clock,page-faults ./program|five runs, with the spread of each count",
    "perf stat -a -I 1000|the whole machine, once a second",
    "perf stat -x, -o counts.csv ./program|for a program to read",
};

}  // namespace

constinit const Command kStat{
    .name = "stat",
    .summary = "Run a command and gather performance counter statistics",
    .usage = kUsage,
    .options = kOptions,
    .words_at = Words::StopAtFirst,
    .description =
        "Counts events while a command runs, or over processes (-p), threads (-t) or CPUs (-a, -C), and shows the "
        "sums with rates beside them. Counters that had to share the hardware are scaled up, and the share of "
        "time they ran stands behind them in parentheses.\n\n"
        "An event the machine does not have is shown as <not supported>, one that never ran as <not counted>.",
    .examples = kExamples,
    .run = entry<StatRequest, run_stat>};

}  // namespace peregrine::cmd
