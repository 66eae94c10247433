#include "cmd/stat/stat_options.h"

#include <optional>
#include <string_view>
#include <vector>

#include "analysis/metric/metric_set.h"
#include "analysis/stat/stat_place.h"
#include "base/result.h"
#include "base/types.h"
#include "capture/counter.h"
#include "capture/target/control_channel.h"
#include "capture/target/target.h"
#include "cli/frame/config.h"
#include "cli/option/option.h"
#include "cli/option/parser.h"
#include "cli/option/store.h"
#include "cmd/command_table.h"
#include "cmd/events/event_sources.h"
#include "cmd/events/time_limit_row.h"
#include "cmd/stat/stat_choice.h"
#include "event/tracepoint/value_field.h"
#include "session/counting/plan/stat_words.h"

namespace peregrine::cmd {

namespace {

template <bool MetricOptions::* kChoice>
Result<> refuse_for_metrics(StatOptions& options, const Use& use) {
  options.request.metric.options.*kChoice = use.negated;
  return {};
}

template <auto kPart, auto kMember, auto kValue>
Result<> assign_counted(StatOptions& options, const Use& use) {
  (options.request.*kPart).*kMember = use.negated ? (StatRequest().*kPart).*kMember : kValue;
  return {};
}

// Milliseconds with linux-perf's error message, or with a unit as in parse_time_limit.
Result<> set_stat_timeout(StatOptions& options, const Use& use) {
  constexpr u64 kMost = u64{1} << 31;
  if (const auto ms = use.negated ? std::nullopt : milliseconds_of(use.value); ms && *ms < kMost) {
    options.request.timing.timeout_ms = static_cast<unsigned>(*ms);
    return {};
  }
  return set<&StatOptions::request, &StatRequest::timing, &StatTiming::timeout_ms>.apply(&options, use);
}

template <StatAggregation kAggregation>
constexpr Store kAggregateBy = call<assign_counted<&StatRequest::rows, &StatRowRequest::aggregation, kAggregation>>;

template <auto Parse, auto... Members>
constexpr Store kSetParsed = set_parsed<Parse, &StatOptions::request, Members...>;

constexpr Option kStatOptions[] = {
    {.name = "transaction",
     .letter = 'T',
     .help = "count the predefined hardware transaction events",
     .store = set<&StatOptions::request, &StatRequest::metric, &StatMetricRequest::transaction>},
    {.name = "event",
     .letter = 'e',
     .value = Value::Required,
     .metavar = "event",
     .help = "count these events ('list' shows them), comma-separated; may be repeated",
     .store = call<add_counted_events>},
    {.name = "pfm-events",
     .value = Value::Required,
     .metavar = "event",
     .help = "count these events, in libpfm4 syntax: NAME:MASK:u:c=1,...; may be repeated",
     .store = call<add_counted_pfm_events>,
     .since = Since::Ours},
    {.name = "filter",
     .value = Value::Required,
     .metavar = "filter",
     .help = "count only hits of the preceding -e or --hist that match this condition on fields",
     .store = call<filter_counted>},
    {.name = "hist",
     .value = Value::Required,
     .metavar = "event:field",
     .help = "show a histogram of this tracepoint field in powers of two; may be repeated",
     .store = call<add_values>,
     .since = Since::Ours},
    {.name = "buckets",
     .value = Value::Required,
     .metavar = "n,n,...",
     .help = "with --hist: start ranges at these values instead of powers of two",
     .store = kSetParsed<&parse_value_bounds, &StatRequest::values, &StatValueRequest::bounds>,
     .since = Since::Ours},
    {.name = "no-inherit",
     .letter = 'i',
     .help = "do not count children",
     .store = call<assign_counted<&StatRequest::opening, &StatOpening::inherit, false>>},
    {.name = "pid",
     .letter = 'p',
     .value = Value::Required,
     .metavar = "pid",
     .help = "count in these running processes (comma-separated)",
     .store = set<&StatOptions::request, &StatRequest::target, &TargetRequest::pids>},
    {.name = "tid",
     .letter = 't',
     .value = Value::Required,
     .metavar = "tid",
     .help = "count in these running threads (comma-separated)",
     .store = set<&StatOptions::request, &StatRequest::target, &TargetRequest::tids>},
    {.name = "all-cpus",
     .letter = 'a',
     .help = "count on all CPUs",
     .store = set<&StatOptions::request, &StatRequest::target, &TargetRequest::system_wide>},
    {.name = "group",
     .letter = 'g',
     .help = "schedule all events together, as one group",
     .store = set<&StatOptions::request, &StatRequest::opening, &StatOpening::group>},
    {.name = "scale",
     .help = "scale multiplexed counters to the full run time (--no-scale: show raw values)",
     .store = set<&StatOptions::request, &StatRequest::opening, &StatOpening::scale>},
    {.name = "verbose",
     .letter = 'v',
     .help = "show which events are opened, and why some fail; -vv: show more",
     .store = count<&StatOptions::verbose>},
    {.name = "repeat",
     .letter = 'r',
     .value = Value::Required,
     .metavar = "n",
     .help = "run the command n times, and show mean and spread (0: until Ctrl-C)",
     .store = call<set_repeat>},
    {.name = "vs",
     .value = Value::Required,
     .metavar = "command",
     .help = "alternate with this command and show which counts differ (-r: runs, default: 10)",
     .store = set_parsed<&parse_versus, &StatOptions::versus>,
     .since = Since::Ours},
    {.name = "multipass",
     .help = "repeat the command until each event was counted for a whole run",
     .store = set<&StatOptions::multipass>,
     .since = Since::Ours},
    {.name = "table", .help = "with -r: also show the time of each run", .store = set<&StatOptions::table>},
    {.name = "null",
     .letter = 'n',
     .help = "omit the default events: without -e, only measure time",
     .store = set<&StatOptions::request, &StatRequest::null_run>},
    {.name = "detailed",
     .letter = 'd',
     .help = "also count cache events; -dd and -ddd: count more",
     .store = count<&StatOptions::request, &StatRequest::detail>},
    {.name = "sync",
     .letter = 'S',
     .help = "write dirty pages to disk (sync) before each run",
     .store = set<&StatOptions::request, &StatRequest::runs, &StatRuns::sync>},
    {.name = "big-num",
     .letter = 'B',
     .help = "print thousands separators (--no-big-num: do not)",
     .store = set<&StatOptions::big_numbers>},
    {.name = "cpu",
     .letter = 'C',
     .value = Value::Required,
     .metavar = "cpu",
     .help = "count only on these CPUs: 0-3,8",
     .store = set<&StatOptions::request, &StatRequest::target, &TargetRequest::cpus>},
    {.name = "no-aggr",
     .letter = 'A',
     .help = "show one row per CPU instead of the sum",
     .store = kAggregateBy<StatAggregation::Cpu>},
    {.name = "no-merge",
     .help = "do not merge events with the same name on several PMUs",
     .store = call<assign_counted<&StatRequest::rows, &StatRowRequest::merge, false>>},
    {.name = "hybrid-merge",
     .help = "merge events with the same name on different core types",
     .store = set<&StatOptions::request, &StatRequest::rows, &StatRowRequest::merge_cores>},
    {.name = "field-separator",
     .letter = 'x',
     .value = Value::Required,
     .metavar = "separator",
     .help = "machine-readable: separate plain values with this text",
     .store = set<&StatOptions::separator>},
    {.name = "csv-safe",
     .help = "with -x: put an apostrophe before text that spreadsheets would run as a formula",
     .store = set<&StatOptions::csv_safe>,
     .since = Since::Ours},
    {.name = "json-output",
     .letter = 'j',
     .help = "machine-readable: print one JSON object per row",
     .store = set<&StatOptions::json>},
    {.name = "json-lines",
     .help = "machine-readable: JSON lines in a versioned format, with unquoted numbers",
     .store = call<choose_json_lines>,
     .since = Since::Ours},
    {.name = "cgroup",
     .letter = 'G',
     .value = Value::Required,
     .metavar = "name",
     .help = "count only in this cgroup (comma-separated: one per event)",
     .store = call<choose_counted_cgroups>},
    {.name = "for-each-cgroup",
     .value = Value::Required,
     .metavar = "name",
     .help = "count each event in each of these cgroups, or in cgroups that match a regular expression",
     .store = set<&StatOptions::request, &StatRequest::cgroup, &StatCgroupRequest::each>},
    {.name = "output",
     .letter = 'o',
     .value = Value::Required,
     .metavar = "file",
     .help = "write the counts to this file",
     .store = set<&StatOptions::output>},
    {.name = "append",
     .help = "with -o: append to the file instead of replacing it",
     .store = set<&StatOptions::append>},
    {.name = "log-fd",
     .value = Value::Required,
     .metavar = "n",
     .help = "write the counts to this open file descriptor (default: stderr)",
     .store = set<&StatOptions::log_fd>},
    {.name = "pre",
     .value = Value::Required,
     .metavar = "command",
     .help = "run this command before each run",
     .store = set<&StatOptions::request, &StatRequest::runs, &StatRuns::before>},
    {.name = "post",
     .value = Value::Required,
     .metavar = "command",
     .help = "run this command after each run",
     .store = set<&StatOptions::request, &StatRequest::runs, &StatRuns::after>},
    {.name = "interval-print",
     .letter = 'I',
     .value = Value::Required,
     .metavar = "n",
     .help = "print counts every n ms; below 100, printing adds noticeable overhead",
     .store = set<&StatOptions::request, &StatRequest::timing, &StatTiming::interval_ms>},
    {.name = "interval-count",
     .value = Value::Required,
     .metavar = "n",
     .help = "with -I: stop after n prints",
     .store = set<&StatOptions::request, &StatRequest::timing, &StatTiming::interval_count>},
    {.name = "interval-clear",
     .help = "with -I: clear the screen before each print",
     .store = set<&StatOptions::interval_clear>},
    {.name = "timeout",
     .value = Value::Required,
     .metavar = "n",
     .help = "stop the command and print counts after n ms (10 or more), or after a time with a unit (10s)",
     .store = call<set_stat_timeout>},
    {.name = "per-socket", .help = "sum counts per socket", .store = kAggregateBy<StatAggregation::Socket>},
    {.name = "per-die", .help = "sum counts per die", .store = kAggregateBy<StatAggregation::Die>},
    {.name = "per-core", .help = "sum counts per physical core", .store = kAggregateBy<StatAggregation::Core>},
    {.name = "per-cluster",
     .help = "sum counts per cluster of cores",
     .store = kAggregateBy<StatAggregation::Cluster>,
     .since = Since::Ours},
    {.name = "per-cache",
     .value = Value::Sticky,
     .metavar = "level",
     .help = "sum counts per cache of this level: l1, l2, L3 (default: last level)",
     .store = call<by_cache>,
     .since = Since::Ours},
    {.name = "per-thread", .help = "sum counts per thread", .store = kAggregateBy<StatAggregation::Thread>},
    {.name = "per-node", .help = "sum counts per NUMA node", .store = kAggregateBy<StatAggregation::Node>},
    {.name = "delay",
     .letter = 'D',
     .value = Value::Required,
     .metavar = "n",
     .help = "start counting n ms after the command starts; -1: start disabled",
     .store = set<&StatOptions::request, &StatRequest::timing, &StatTiming::delay_ms>},
    {.name = "metric-only",
     .help = "show metrics without their counts, one line per aggregation unit",
     .store = set<&StatOptions::request, &StatRequest::metric, &StatMetricRequest::only>},
    {.name = "metric-no-group",
     .help = "schedule the events of a metric separately, not as a group",
     .store = call<refuse_for_metrics<&MetricOptions::group>>},
    {.name = "metric-no-merge",
     .help = "do not share events between metrics",
     .store = call<refuse_for_metrics<&MetricOptions::merge>>},
    {.name = "metric-no-threshold",
     .help = "do not count events needed only for metric thresholds",
     .store = call<refuse_for_metrics<&MetricOptions::threshold>>,
     .since = Since::Ours},
    {.name = "topdown",
     .help = "show how pipeline slots are used (top-down), as metrics only",
     .store = set<&StatOptions::request, &StatRequest::metric, &StatMetricRequest::topdown>},
    {.name = "td-level",
     .value = Value::Required,
     .metavar = "n",
     .help = "with --topdown: show n levels (0: all)",
     .store = set<&StatOptions::request, &StatRequest::metric, &StatMetricRequest::level>},
    {.name = "smi-cost",
     .help = "show the cost of system management interrupts, as metrics only",
     .store = set<&StatOptions::request, &StatRequest::metric, &StatMetricRequest::smi_cost>},
    {.name = "metrics",
     .letter = 'M',
     .value = Value::Required,
     .metavar = "metric/metric group list",
     .help = "show these metrics or metric groups (comma-separated; modifiers after ':')",
     .store = call<add_metrics>},
    {.name = "record-tpebs",
     .help = "sample retire latencies of events with modifier R while counting (Intel TPEBS)",
     .store = set<&StatOptions::request, &StatRequest::latency, &StatLatencyRequest::is_recorded>,
     .since = Since::Ours},
    {.name = "tpebs-mode",
     .value = Value::Required,
     .metavar = "mean|min|max|last",
     .help = "show this retire latency for events with modifier R (default: mean)",
     .store = kSetParsed<&parse_latency_mode, &StatRequest::latency, &StatLatencyRequest::mode>,
     .since = Since::Ours},
    {.name = "all-kernel",
     .help = "count all events only in kernel space",
     .store = set<&StatOptions::request, &StatRequest::opening, &StatOpening::all_kernel>},
    {.name = "all-user",
     .help = "count all events only in user space",
     .store = set<&StatOptions::request, &StatRequest::opening, &StatOpening::all_user>},
    {.name = "percore-show-thread",
     .help = "with the term percore: show the core's sum for each of its hardware threads",
     .store = set<&StatOptions::request, &StatRequest::rows, &StatRowRequest::core_at_each_cpu>},
    {.name = "summary",
     .help = "with -I: show totals of the whole run at the end",
     .store = set<&StatOptions::summary>},
    {.name = "no-csv-summary",
     .help = "with -x and --summary: omit the word 'summary' from the summary rows",
     .store = set<&StatOptions::no_csv_summary>},
    {.name = "hide-zero-events",
     .help = "hide rows of events with a zero count",
     .store = set<&StatOptions::hide_zeros>,
     .since = Since::Ours},
    {.name = "quiet", .help = "print nothing", .store = set<&StatOptions::quiet>},
    {.name = "cputype",
     .value = Value::Required,
     .metavar = "hybrid cpu type",
     .help = "on hybrid processors: count only on this core type (core, atom); must precede -e",
     .store = call<choose_core_type>},
    {.name = "pmu-filter",
     .value = Value::Required,
     .metavar = "pmu",
     .help = "count events that name no PMU, or several PMUs, only on this one; must precede -e",
     .store = call<choose_pmu>},
    {.name = "control",
     .value = Value::Required,
     .metavar = "fd:ctl-fd[,ack-fd] or fifo:ctl-fifo[,ack-fifo]",
     .help = "accept commands (enable, disable, evlist, stop, ping) on this descriptor or FIFO, and acknowledge them "
             "on the second",
     .store = kSetParsed<&ControlChannel::open, &StatRequest::control>},
    {.name = "bpf-counters",
     .help = "read counters with BPF programs, one per CPU, shared with sessions that count the same",
     .store = set<&StatOptions::request, &StatRequest::bpf, &BpfCounting::shared>,
     .since = Since::Ours},
    {.name = "bpf-prog",
     .letter = 'b',
     .value = Value::Required,
     .metavar = "id[,id...]",
     .help = "count only while these BPF programs run, on all CPUs",
     .store = kSetParsed<&parse_bpf_programs, &StatRequest::bpf, &BpfCounting::programs>,
     .since = Since::Ours},
    {.name = "bpf-attr-map",
     .value = Value::Required,
     .metavar = "file",
     .help = "with --bpf-counters: share counters through this file in a BPF file system (default: "
             "/sys/fs/bpf/peregrine_counters)",
     .store = set<&StatOptions::request, &StatRequest::bpf, &BpfCounting::registry>,
     .since = Since::Ours},
    {.name = "iostat",
     .value = Value::Sticky,
     .metavar = "default",
     .help = "show the traffic of PCI root ports instead of events, all or the named ones (0000:17,0:3a); 'list' lists "
             "them",
     .store = call<choose_iostat>},
};
constexpr std::string_view kStatUsage[] = {"[<options>] [<command>]"};
constexpr std::string_view kStatExamples[] = {
    "perf stat make|count events of a command",
    "perf stat -r 5 -e task-clock,page-faults ./program|five runs, with mean and spread of each count",
    "perf stat -a -I 1000|the whole machine, once a second",
    "perf stat record -a -I 1000 sleep 60|record counts for a minute, for 'perf stat report --per-core'",
    "perf stat -x, -o counts.csv ./program|write machine-readable counts",
    "perf stat --vs ./old -r 20 ./new|show which counts of two programs differ",
};

}  // namespace

Result<> StatOptions::configure(const Config& config) {
  configure_sources(config, request.sources);
  return {};
}

constinit const Command kStat{
    .name = "stat",
    .summary = "Count events while a command runs",
    .usage = kStatUsage,
    .options = kStatOptions,
    .first_words = [] { return std::vector<std::string_view>{"record", "report"}; },
    .words_at = Words::StopAtFirst,
    .description =
        "Counts events while a command runs, or for processes (-p), threads (-t) or CPUs (-a, -C), and prints the "
        "counts with their rates. It costs less than record, but does not show where in the code the events occur.\n\n"
        "If more events are requested than the processor has counters, they take turns (multiplexing). Their counts "
        "are then scaled up, and the percentage of time that each was counted is in parentheses. <not supported> marks "
        "events that the machine does not have, <not counted> events that never got a counter.\n\n"
        "`stat record` takes the same options and writes the counts to perf.data (-o FILE: another file or a pipe). "
        "`stat report` prints them again, or aggregates them differently with --per-socket, --per-core and so on.",
    .examples = kStatExamples,
    .run = entry<StatOptions, run_stat>};

}  // namespace peregrine::cmd
