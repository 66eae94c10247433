#include "cmd/stat/stat_options.h"

#include "cmd/command_table.h"
#include "cmd/events/event_sources.h"
#include "event/config/cgroup_choice.h"
#include "event/kind/pfm_event.h"
#include "event/syntax/parse.h"

namespace peregrine::cmd {

namespace {

Result<> add_counted_events(StatOptions& options, const Use& use) {
  if (use.negated) {
    options.request.events.clear();
    return {};
  }
  options.last_word = options.request.events.size();
  options.last_is_hist = false;
  return parse_events(use.value, options.request.sources, options.request.events);
}

Result<> add_counted_pfm_events(StatOptions& options, const Use& use) {
  if (use.negated) return {};
  options.last_word = options.request.events.size();
  options.last_is_hist = false;
  return parse_pfm_events(use.value, options.request.sources, options.request.events);
}

Result<> filter_counted(StatOptions& options, const Use& use) {
  if (options.last_is_hist)
    return filter_values(options.request.value_fields.back(), use.value, options.request.sources);
  return set_filter(options.request.sources, options.request.events, options.last_word, use.value, FilterUse::Counting);
}

Result<> add_values(StatOptions& options, const Use& use) {
  if (use.negated) {
    options.request.value_fields.clear();
    options.last_is_hist = false;
    return {};
  }
  auto field = parse_value_field(use.value, options.request.sources);
  if (!field) return std::unexpected(std::move(field.error()));
  options.request.value_fields.push_back(std::move(*field));
  options.last_is_hist = true;
  return {};
}

Result<> choose_buckets(StatOptions& options, const Use& use) {
  options.request.value_bounds.clear();
  if (use.negated) return {};
  auto bounds = parse_value_bounds(use.value);
  if (!bounds) return std::unexpected(std::move(bounds.error()));
  options.request.value_bounds = std::move(*bounds);
  return {};
}

Result<> set_repeat(StatOptions& options, const Use& use) {
  options.repeat_given = !use.negated;
  options.request.repeat = 1;
  if (use.negated) return {};
  auto repeat = store_detail::number<unsigned>(use);
  if (!repeat) return std::unexpected(std::move(repeat.error()));
  options.request.repeat = *repeat;
  return {};
}

Result<> set_interval(StatOptions& options, const Use& use) {
  auto interval = store_detail::number<unsigned>(use);
  if (!interval) return std::unexpected(std::move(interval.error()));
  options.request.interval_ms = *interval;  // 0: none
  return {};
}

Result<> choose_versus(StatOptions& options, const Use& use) {
  if (use.value.find_first_not_of(' ') == std::string_view::npos)
    return fail(ErrorKind::Usage, "option `vs' expects a command to compare with");
  options.versus = use.value;
  return {};
}

Result<> choose_counted_cgroups(StatOptions& options, const Use& use) {
  if (use.negated) {
    unbind_cgroups(options.request.events);
    options.request.cgroups = 0;
    return {};
  }
  return bind_checked_cgroups(options.request.sources.root(), use.value, options.request.cgroups,
                              options.request.events);
}

Result<> choose_core_type(StatOptions& options, const Use& use) {
  if (options.request.sources.choose_core_type(use.value)) return {};
  std::string kinds;
  for (const Pmu* pmu : options.request.sources.core_pmus()) kinds += (kinds.empty() ? "" : ", ") + pmu->name;
  return std::unexpected(Error{ErrorKind::Usage, fmt::format("--cputype {} is not supported!", use.value)}.with_hint(
      options.request.sources.core_pmus().size() < 2 ? "this processor has one kind of core"
                                                     : fmt::format("the kinds of core here: {}", kinds)));
}

Result<> choose_pmu(StatOptions& options, const Use& use) { return options.request.sources.choose_pmu(use.value); }

Result<> choose_iostat(StatOptions& options, const Use& use) {
  options.request.port.words.reset();
  if (!use.negated) options.request.port.words = use.has_value ? use.value : "";
  if (!use.has_value || !use.value.empty()) return {};
  return std::unexpected(Error{ErrorKind::Usage, "--iostat= names no port"}.with_hint("--iostat alone means all"));
}

Result<> choose_bpf_programs(StatOptions& options, const Use& use) {
  options.request.bpf.programs.clear();
  if (use.negated) return {};
  for (std::string_view rest = use.value; !rest.empty();) {
    const std::string_view word = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(rest.size(), word.size() + 1));
    const auto id = to_number(word);
    if (!id || *id == 0 || *id > ~u32{0})
      return std::unexpected(Error{ErrorKind::Usage, fmt::format("invalid BPF program id '{}'", word)}.with_hint(
          "'bpftool prog' lists programs with their ids; several are separated by commas"));
    options.request.bpf.programs.push_back(static_cast<u32>(*id));
  }
  return {};
}

Result<> choose_control(StatOptions& options, const Use& use) {
  options.request.control.reset();
  if (use.negated) return {};
  auto channel = ControlChannel::open(use.value);
  if (!channel) return std::unexpected(std::move(channel.error()));
  options.request.control.emplace(std::move(*channel));
  return {};
}

Result<> by_cache(StatOptions& options, const Use& use) {
  const std::string_view level = use.value;
  const bool named = level.size() == 2 && (level[0] == 'l' || level[0] == 'L') && level[1] >= '1' && level[1] <= '4';
  if (!level.empty() && !named)
    return std::unexpected(Error{ErrorKind::Usage, fmt::format("unknown cache level '{}'", level)}.with_hint(
        "l1 to l4, or no level for the last one there is"));
  options.request.aggregation = StatAggregation::Cache;
  options.request.cache_level = named ? static_cast<u32>(level[1] - '0') : 0;
  return {};
}

Result<> choose_latency(StatOptions& options, const Use& use) {
  options.request.latency_mode = LatencyMode::Mean;
  if (use.negated || use.value == "mean") return {};
  if (use.value == "min")
    options.request.latency_mode = LatencyMode::Min;
  else if (use.value == "max")
    options.request.latency_mode = LatencyMode::Max;
  else if (use.value == "last")
    options.request.latency_mode = LatencyMode::Last;
  else
    return fail(ErrorKind::Usage, "--tpebs-mode: '{}' must be one of: mean, min, max, last", use.value);
  return {};
}

Result<> add_metrics(StatOptions& options, const Use& use) {
  std::string& words = options.request.metric.words;
  if (use.negated)
    words.clear();
  else
    words += (words.empty() ? "" : ",") + std::string(use.value);
  return {};
}

template <bool MetricOptions::* kChoice>
Result<> refuse_for_metrics(StatOptions& options, const Use& use) {
  options.request.metric.options.*kChoice = use.negated;
  return {};
}

template <auto kMember, auto kValue>
Result<> assign_counted(StatOptions& options, const Use& use) {
  options.request.*kMember = use.negated ? StatRequest().*kMember : kValue;
  return {};
}

template <StatAggregation kAggregation>
constexpr Store kAggregateBy = call<assign_counted<&StatRequest::aggregation, kAggregation>>;

Result<> choose_json_lines(StatOptions& options, const Use& use) {
  options.json = options.json_lines = !use.negated;
  return {};
}

constexpr Option kStatOptions[] = {
    {.name = "transaction",
     .letter = 'T',
     .help = "count a preset of hardware transaction events",
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
     .store = call<choose_buckets>,
     .since = Since::Ours},
    {.name = "no-inherit",
     .letter = 'i',
     .help = "do not count children",
     .store = call<assign_counted<&StatRequest::inherit, false>>},
    {.name = "pid",
     .letter = 'p',
     .value = Value::Required,
     .metavar = "pid",
     .help = "count for these running processes (comma-separated)",
     .store = set<&StatOptions::request, &StatRequest::target, &TargetRequest::pids>},
    {.name = "tid",
     .letter = 't',
     .value = Value::Required,
     .metavar = "tid",
     .help = "count for these running threads (comma-separated)",
     .store = set<&StatOptions::request, &StatRequest::target, &TargetRequest::tids>},
    {.name = "all-cpus",
     .letter = 'a',
     .help = "count on all CPUs",
     .store = set<&StatOptions::request, &StatRequest::target, &TargetRequest::system_wide>},
    {.name = "group",
     .letter = 'g',
     .help = "schedule all events together, as one group",
     .store = set<&StatOptions::request, &StatRequest::group>},
    {.name = "scale",
     .help = "scale multiplexed counters up to the whole time (--no-scale: show them as read)",
     .store = set<&StatOptions::request, &StatRequest::scale>},
    {.name = "verbose",
     .letter = 'v',
     .help = "show what is opened and why it fails; -vv: show more",
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
     .store = call<choose_versus>,
     .since = Since::Ours},
    {.name = "multipass",
     .help = "repeat the command so that each event is counted for a whole run",
     .store = set<&StatOptions::multipass>,
     .since = Since::Ours},
    {.name = "table", .help = "with -r: also show the time of each run", .store = set<&StatOptions::table>},
    {.name = "null",
     .letter = 'n',
     .help = "omit the default events: without -e, measure time only",
     .store = set<&StatOptions::request, &StatRequest::null_run>},
    {.name = "detailed",
     .letter = 'd',
     .help = "also count cache events; -dd and -ddd: count more",
     .store = count<&StatOptions::request, &StatRequest::detail>},
    {.name = "sync",
     .letter = 'S',
     .help = "write dirty pages to disk (sync) before each run",
     .store = set<&StatOptions::request, &StatRequest::sync>},
    {.name = "big-num",
     .letter = 'B',
     .help = "print thousands separators (--no-big-num: do not)",
     .store = set<&StatOptions::big_numbers>},
    {.name = "cpu",
     .letter = 'C',
     .value = Value::Required,
     .metavar = "cpu",
     .help = "count on these CPUs only: 0-3,8",
     .store = set<&StatOptions::request, &StatRequest::target, &TargetRequest::cpus>},
    {.name = "no-aggr",
     .letter = 'A',
     .help = "show a row per CPU instead of the sum",
     .store = kAggregateBy<StatAggregation::Cpu>},
    {.name = "no-merge",
     .help = "do not merge events with the same name on several PMUs",
     .store = call<assign_counted<&StatRequest::merge, false>>},
    {.name = "hybrid-merge",
     .help = "merge events with the same name on different core types",
     .store = set<&StatOptions::request, &StatRequest::merge_cores>},
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
     .help = "count every event in each of these cgroups, or of those that match a regular expression",
     .store = set<&StatOptions::request, &StatRequest::each_cgroup>},
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
     .store = set<&StatOptions::request, &StatRequest::before>},
    {.name = "post",
     .value = Value::Required,
     .metavar = "command",
     .help = "run this command after each run",
     .store = set<&StatOptions::request, &StatRequest::after>},
    {.name = "interval-print",
     .letter = 'I',
     .value = Value::Required,
     .metavar = "n",
     .help = "print counts every n ms; below 100, printing adds noticeable overhead",
     .store = call<set_interval>},
    {.name = "interval-count",
     .value = Value::Required,
     .metavar = "n",
     .help = "with -I: stop after n prints",
     .store = set<&StatOptions::request, &StatRequest::interval_count>},
    {.name = "interval-clear",
     .help = "with -I: clear the screen before each print",
     .store = set<&StatOptions::interval_clear>},
    {.name = "timeout",
     .value = Value::Required,
     .metavar = "n",
     .help = "stop the command and print counts after n ms (10 or more)",
     .store = set<&StatOptions::request, &StatRequest::timeout_ms>},
    {.name = "per-socket", .help = "sum up counts per socket", .store = kAggregateBy<StatAggregation::Socket>},
    {.name = "per-die", .help = "sum up counts per die", .store = kAggregateBy<StatAggregation::Die>},
    {.name = "per-core", .help = "sum up counts per physical core", .store = kAggregateBy<StatAggregation::Core>},
    {.name = "per-cluster",
     .help = "sum up counts per cluster of cores",
     .store = kAggregateBy<StatAggregation::Cluster>,
     .since = Since::Ours},
    {.name = "per-cache",
     .value = Value::Sticky,
     .metavar = "level",
     .help = "sum up counts per cache of this level: l1, l2, L3 (default: last level)",
     .store = call<by_cache>,
     .since = Since::Ours},
    {.name = "per-thread", .help = "sum up counts per thread", .store = kAggregateBy<StatAggregation::Thread>},
    {.name = "per-node", .help = "sum up counts per NUMA node", .store = kAggregateBy<StatAggregation::Node>},
    {.name = "delay",
     .letter = 'D',
     .value = Value::Required,
     .metavar = "n",
     .help = "start counting n ms after the command starts; -1: start disabled",
     .store = set<&StatOptions::request, &StatRequest::delay_ms>},
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
     .store = set<&StatOptions::request, &StatRequest::record_latencies>,
     .since = Since::Ours},
    {.name = "tpebs-mode",
     .value = Value::Required,
     .metavar = "mean|min|max|last",
     .help = "show this retire latency for events with modifier R (default: mean)",
     .store = call<choose_latency>,
     .since = Since::Ours},
    {.name = "all-kernel",
     .help = "count all events in kernel space only",
     .store = set<&StatOptions::request, &StatRequest::all_kernel>},
    {.name = "all-user",
     .help = "count all events in user space only",
     .store = set<&StatOptions::request, &StatRequest::all_user>},
    {.name = "percore-show-thread",
     .help = "with the term percore: show the core's sum for each of its hardware threads",
     .store = set<&StatOptions::request, &StatRequest::core_at_each_cpu>},
    {.name = "summary",
     .help = "with -I: show totals of the whole run at the end",
     .store = set<&StatOptions::summary>},
    {.name = "no-csv-summary",
     .help = "with -x and --summary: omit the word 'summary' from its rows",
     .store = set<&StatOptions::no_csv_summary>},
    {.name = "hide-zero-events",
     .help = "hide rows of events with a zero count",
     .store = set<&StatOptions::hide_zeros>,
     .since = Since::Ours},
    {.name = "quiet", .help = "print nothing", .store = set<&StatOptions::quiet>},
    {.name = "cputype",
     .value = Value::Required,
     .metavar = "hybrid cpu type",
     .help = "on hybrid processors: count on this core type only (core, atom); must precede -e",
     .store = call<choose_core_type>},
    {.name = "pmu-filter",
     .value = Value::Required,
     .metavar = "pmu",
     .help = "count events that name no PMU, or several, on this PMU only; must precede -e",
     .store = call<choose_pmu>},
    {.name = "control",
     .value = Value::Required,
     .metavar = "fd:ctl-fd[,ack-fd] or fifo:ctl-fifo[,ack-fifo]",
     .help = "accept commands (enable, disable, evlist, stop, ping) on this descriptor or FIFO, and acknowledge them "
             "on the second",
     .store = call<choose_control>},
    {.name = "bpf-counters",
     .help = "read counters with BPF programs, one per CPU, shared with sessions that count the same",
     .store = set<&StatOptions::request, &StatRequest::bpf, &BpfCounting::shared>,
     .since = Since::Ours},
    {.name = "bpf-prog",
     .letter = 'b',
     .value = Value::Required,
     .metavar = "id[,id...]",
     .help = "count only while these BPF programs run, on all CPUs",
     .store = call<choose_bpf_programs>,
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
    .words_at = Words::StopAtFirst,
    .description =
        "Counts events while a command runs, or for processes (-p), threads (-t) or CPUs (-a, -C), and prints the "
        "counts with their rates. It costs less than record, but does not show where in the code the events occur.\n\n"
        "If more events are requested than the processor has counters, they take turns. Their counts are then scaled "
        "up, and the percentage of time that each was counted follows in parentheses. <not supported> marks events "
        "that the machine does not have, <not counted> events that never got a counter.\n\n"
        "`stat record` takes the same options and writes the counts to perf.data (-o FILE: another file or a pipe). "
        "`stat report` prints them again, summed differently on request, such as with --per-socket or --per-core.",
    .examples = kStatExamples,
    .run = entry<StatOptions, run_stat>};

}  // namespace peregrine::cmd
