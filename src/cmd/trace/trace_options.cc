#include "cmd/trace/trace_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <expected>
#include <string_view>
#include <utility>
#include <vector>

#include "base/number/parse_number.h"
#include "base/result.h"
#include "base/types.h"
#include "capture/bpf/syscall/syscall_tracer.h"
#include "capture/perf_event/ring_buffer.h"
#include "capture/target/target.h"
#include "cli/frame/config.h"
#include "cli/option/option.h"
#include "cli/option/parser.h"
#include "cli/option/store.h"
#include "cmd/command_table.h"
#include "cmd/events/event_sources.h"
#include "cmd/events/time_limit_row.h"
#include "cmd/recording/field_report_rows.h"
#include "event/syntax/parse.h"
#include "event/syscall/call_choice.h"
#include "output/text/trace/trace_line.h"
#include "session/trace/trace_request.h"
#include "sys/process/process.h"
#include "sys/process/user.h"

namespace peregrine::cmd {

namespace {

Result<> add_traced_events(TraceOptions& options, const Use& use) {
  if (use.negated) return {};
  std::vector<std::string> others;
  PEREGRINE_TRY(options.live.trace.calls.add(use.value, others));
  options.last_word = options.live.trace.events.size();
  for (const std::string& other : others) {
    if (auto parsed = parse_events(other, options.live.trace.sources, options.live.trace.events); !parsed) {
      Error error = std::move(parsed.error());
      if (error.hint.empty())
        if (const auto call = CallChoice::nearest_call(other)) error.hint = fmt::format("did you mean '{}'?", *call);
      return std::unexpected(std::move(error));
    }
    options.live.trace.event_options.insert(options.live.trace.event_options.end(), {"-e", other});
  }
  return {};
}

Result<> filter_traced(TraceOptions& options, const Use& use) {
  options.live.trace.event_options.insert(options.live.trace.event_options.end(), {"--filter", std::string(use.value)});
  return set_filter(options.live.trace.sources, options.live.trace.events, options.last_word, use.value,
                    FilterUse::Counting);
}

Result<> exclude_pids(TraceOptions& options, const Use& use) {
  if (use.negated) options.live.trace.excluded.clear();
  std::string_view rest = use.value;
  while (!rest.empty()) {
    const std::string_view word = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(word.size() + 1, rest.size()));
    const auto pid = parse_number<Pid>(word);
    if (!pid) return fail(ErrorKind::Usage, "invalid --filter-pids '{}': must be process IDs", word);
    options.live.trace.excluded.push_back(*pid);
  }
  return {};
}

Result<> no_traced_inherit(TraceOptions& options, const Use& use) {
  options.live.trace.inherit = use.negated;
  return {};
}

Result<std::string_view> parse_faults(std::string_view word) {
  if (word == "all" || word == "maj" || word == "min") return word;
  return fail(ErrorKind::Usage, "invalid -F '{}': must be all, maj or min", word);
}

Result<SumBy> parse_summary_mode(std::string_view word) {
  if (word == "thread") return SumBy::Thread;
  if (word == "total") return SumBy::Total;
  if (word == "cgroup") return SumBy::Cgroup;
  return fail(ErrorKind::Usage, "invalid --summary-mode '{}': must be thread, total or cgroup", word);
}

template <auto Parse, auto... Members>
constexpr Store kSetTraceParsed = set_parsed<Parse, &TraceOptions::live, &LiveTraceRequest::trace, Members...>;

constexpr Option kTraceOptions[] = {
    {.name = "all-cpus",
     .letter = 'a',
     .help = "trace all processes on all CPUs",
     .store = set<&TraceOptions::live, &LiveTraceRequest::trace, &TraceRequest::target, &TargetRequest::system_wide>},
    {.name = "cpu",
     .letter = 'C',
     .value = Value::Required,
     .metavar = "cpu",
     .help = "trace only on these CPUs: 0,2-3",
     .store = set<&TraceOptions::live, &LiveTraceRequest::trace, &TraceRequest::target, &TargetRequest::cpus>},
    {.name = "delay",
     .letter = 'D',
     .value = Value::Required,
     .metavar = "n",
     .help = "start tracing n ms after the command starts",
     .store = set<&TraceOptions::live, &LiveTraceRequest::trace, &TraceRequest::delay_ms>},
    {.name = "event",
     .letter = 'e',
     .value = Value::Required,
     .metavar = "event",
     .help = "trace these system calls (names, globs, groups such as %file, %network; with a leading '!': all but "
             "these) and other events",
     .store = call<add_traced_events>},
    {.name = "expr",
     .value = Value::Required,
     .metavar = "expr",
     .help = "same as --event",
     .store = call<add_traced_events>},
    {.name = "filter",
     .value = Value::Required,
     .metavar = "filter",
     .help = "show only tracepoint hits of the preceding -e that match this condition",
     .store = call<filter_traced>},
    {.name = "force",
     .letter = 'f',
     .help = "read the recording regardless of its owner",
     .store = set<&TraceOptions::force>},
    {.name = "pf",
     .letter = 'F',
     .value = Value::Required,
     .metavar = "all|maj|min",
     .help = "show page faults: all, major or minor",
     .store = kSetTraceParsed<&parse_faults, &TraceRequest::faults>},
    {.name = "cgroup",
     .letter = 'G',
     .value = Value::Required,
     .metavar = "name",
     .help = "trace only processes in this cgroup",
     .store = set<&TraceOptions::live, &LiveTraceRequest::trace, &TraceRequest::cgroup>},
    {.name = "input",
     .letter = 'i',
     .value = Value::Required,
     .metavar = "file",
     .help = "read this recording instead of tracing live",
     .store = set<&TraceOptions::input>},
    {.name = "mmap-pages",
     .letter = 'm',
     .value = Value::Required,
     .metavar = "pages",
     .help = "set the size of the ring buffer: pages, or bytes with suffix B, K, M or G",
     .store = kSetTraceParsed<&parse_ring_size, &TraceRequest::ring_bytes>},
    {.name = "output",
     .letter = 'o',
     .value = Value::Required,
     .metavar = "file",
     .help = "write to this file instead of stderr",
     .store = set<&TraceOptions::output>},
    {.name = "pid",
     .letter = 'p',
     .value = Value::Required,
     .metavar = "pid",
     .help = "trace these running processes",
     .store = set<&TraceOptions::live, &LiveTraceRequest::trace, &TraceRequest::target, &TargetRequest::pids>},
    {.name = "summary",
     .letter = 's',
     .help = "show only a summary at the end: count, duration and errors of each call",
     .store = set<&TraceOptions::live, &LiveTraceRequest::trace, &TraceRequest::summary>},
    {.name = "with-summary",
     .letter = 'S',
     .help = "show every call, and the summary at the end",
     .store = set<&TraceOptions::live, &LiveTraceRequest::trace, &TraceRequest::summary_too>},
    {.name = "tid",
     .letter = 't',
     .value = Value::Required,
     .metavar = "tid",
     .help = "trace these running threads",
     .store = set<&TraceOptions::live, &LiveTraceRequest::trace, &TraceRequest::target, &TargetRequest::tids>},
    {.name = "time",
     .letter = 'T',
     .help = "show times since boot, not since the first call",
     .store = set<&TraceOptions::live, &LiveTraceRequest::trace, &TraceRequest::style, &TraceStyle::absolute_time>},
    {.name = "uid",
     .letter = 'u',
     .value = Value::Required,
     .metavar = "user",
     .help = "trace only processes of this user",
     .store = kSetTraceParsed<&user_number, &TraceRequest::target, &TargetRequest::user>},
    {.name = "verbose", .letter = 'v', .help = "show how calls are traced", .store = count<&TraceOptions::verbose>},
    {.name = "call-graph",
     .value = Value::Required,
     .metavar = "record_mode[,record_size]",
     .help = "show call chains, recorded with fp, dwarf or lbr",
     .store = set<&TraceOptions::live, &LiveTraceRequest::trace, &TraceRequest::call_graph>,
     .words = [] { return std::vector<std::string_view>{"fp", "dwarf", "lbr"}; }},
    {.name = "comm",
     .help = "show the thread's name before its ID",
     .store = set<&TraceOptions::live, &LiveTraceRequest::trace, &TraceRequest::style, &TraceStyle::show_comm>},
    {.name = "duration",
     .value = Value::Required,
     .metavar = "float",
     .help = "show only calls that took longer than this many ms",
     .store = set<&TraceOptions::live, &LiveTraceRequest::trace, &TraceRequest::least_ms>},
    {.name = "errno-summary",
     .help = "with -s or -S: show which errors occurred",
     .store = set<&TraceOptions::live, &LiveTraceRequest::trace, &TraceRequest::errno_summary>},
    {.name = "failure",
     .help = "show only failed calls",
     .store = set<&TraceOptions::live, &LiveTraceRequest::trace, &TraceRequest::only_failed>},
    {.name = "filter-pids",
     .value = Value::Required,
     .metavar = "CSV list of pids",
     .help = "exclude these processes and threads",
     .store = call<exclude_pids>},
    {.name = "kernel-syscall-graph",
     .help = "show the kernel's call chain at the end of each call",
     .store = set<&TraceOptions::live, &LiveTraceRequest::trace, &TraceRequest::kernel_graph>},
    {.name = "force-btf",
     .help = "decode structs with the kernel's BTF, with all members as plain numbers",
     .store = set<&TraceOptions::live, &LiveTraceRequest::kernel_types>},
    {.name = "bitmask-list",
     .help = "show bitmaps of tracepoints (CPU masks) as lists: 0-3,7",
     .store = set<&TraceOptions::live, &LiveTraceRequest::trace, &TraceRequest::bit_lists>},
    {.name = "libtraceevent_print",
     .help = "print tracepoints in the kernel's print format",
     .store = set<&TraceOptions::live, &LiveTraceRequest::trace, &TraceRequest::own_format>},
    {.name = "map-dump",
     .value = Value::Required,
     .metavar = "BPF map",
     .help = "show this map of a BPF event",
     .store = set<&TraceOptions::dumped_map>},
    {.name = "max-events",
     .value = Value::Required,
     .metavar = "n",
     .help = "stop after n lines",
     .store = set<&TraceOptions::live, &LiveTraceRequest::trace, &TraceRequest::max_events>},
    {.name = "max-stack",
     .value = Value::Required,
     .metavar = "n",
     .help = "show call chains of at most n frames",
     .store = set<&TraceOptions::live, &LiveTraceRequest::trace, &TraceRequest::max_stack>},
    {.name = "min-stack",
     .value = Value::Required,
     .metavar = "n",
     .help = "show only events with call chains of at least n frames",
     .store = set<&TraceOptions::live, &LiveTraceRequest::trace, &TraceRequest::min_stack>},
    {.name = "no-inherit", .help = "do not trace new threads and child processes", .store = call<no_traced_inherit>},
    {.name = "print-sample",
     .help = "print the contents of each sample, for debugging",
     .store = set<&TraceOptions::live, &LiveTraceRequest::trace, &TraceRequest::print_samples>},
    {.name = "proc-map-timeout",
     .value = Value::Required,
     .metavar = "n",
     .help = "accepted and ignored: reading maps has no time limit",
     .store = set<&TraceOptions::accepted>},
    {.name = "sched",
     .help = "show the total run time of each thread",
     .store = set<&TraceOptions::live, &LiveTraceRequest::trace, &TraceRequest::sched>},
    {.name = "show-on-off-events",
     .help = "also show the --switch-on and --switch-off events",
     .store = set<&TraceOptions::live, &LiveTraceRequest::trace, &TraceRequest::show_switches>},
    {.name = "sort-events",
     .help = "accepted and ignored: lines are always in time order",
     .store = set<&TraceOptions::sort_events>},
    {.name = "switch-off",
     .value = Value::Required,
     .metavar = "event",
     .help = "show nothing after this event",
     .store = set<&TraceOptions::live, &LiveTraceRequest::trace, &TraceRequest::switch_off>},
    {.name = "switch-on",
     .value = Value::Required,
     .metavar = "event",
     .help = "show only events after this event",
     .store = set<&TraceOptions::live, &LiveTraceRequest::trace, &TraceRequest::switch_on>},
    {.name = "syscalls",
     .help = "trace system calls (default, unless only other events or page faults are given)",
     .store = set<&TraceOptions::live, &LiveTraceRequest::trace, &TraceRequest::syscalls>},
    {.name = "tool_stats",
     .help = "at the end, show how often file descriptor paths were looked up",
     .store = set<&TraceOptions::live, &LiveTraceRequest::file_counts>},
    {.name = "summary-mode",
     .value = Value::Required,
     .metavar = "thread|total|cgroup",
     .help = "with -s or -S: show one table per thread, for all threads, or per cgroup",
     .store = kSetTraceParsed<&parse_summary_mode, &TraceRequest::summary_by>,
     .since = Since::Ours},
    {.name = "bpf-summary",
     .help = "show only a summary, aggregated by BPF, and fail without BPF; --no-bpf-summary with -s or -S: aggregate "
             "samples",
     .store = set<&TraceOptions::live, &LiveTraceRequest::kernel_sums>,
     .since = Since::Ours},
    {.name = "max-summary",
     .value = Value::Required,
     .metavar = "n",
     .help = "with -s or -S: show only the first n rows of each table",
     .store = set<&TraceOptions::live, &LiveTraceRequest::trace, &TraceRequest::summary_rows>,
     .since = Since::Ours},
    kTimeoutRow<&TraceOptions::live, &LiveTraceRequest::trace, &TraceRequest::limit>,
    {.name = "format",
     .value = Value::Required,
     .metavar = "template",
     .help =
         "show lines of this form: '{comm}({pid}) {name}({args}) = {ret}'; {FIELD} or {FIELD:WIDTH.LENGTH}, with d, "
         "x, X or o behind it for the plain number. Fields: comm, pid, tid, cpu, time, name, args, duration, ret, "
         "error, arguments and fields by name",
     .store = set_nonempty<&TraceOptions::live, &LiveTraceRequest::trace, &TraceRequest::report,
                           &FieldReportRequest::format>,
     .since = Since::Ours},
    kAggregateRow<&TraceOptions::live, &LiveTraceRequest::trace, &TraceRequest::report>,
    kWhereRow<&TraceOptions::live, &LiveTraceRequest::trace, &TraceRequest::report>,
    kFromRow<&TraceOptions::live, &LiveTraceRequest::trace, &TraceRequest::report>,
    kUntilRow<&TraceOptions::live, &LiveTraceRequest::trace, &TraceRequest::report>,
    kTableIntervalRow<&TraceOptions::live, &LiveTraceRequest::trace, &TraceRequest::report>,
    {.name = "buffers",
     .value = Value::Required,
     .metavar = "bytes",
     .help = "show this many bytes of each buffer; 0: addresses only",
     .store = set<&TraceOptions::live, &LiveTraceRequest::trace, &TraceRequest::buffer_bytes>,
     .since = Since::Ours},
};
constexpr std::string_view kTraceUsage[] = {"[<options>] [<command>]", "[<options>] -- <command> [<options>]",
                                            "record [<options>] [<command>]",
                                            "record [<options>] -- <command> [<options>]"};
constexpr std::string_view kTraceExamples[] = {
    "perf trace ls|the system calls of a command",
    "perf trace -s -p 4239|a summary of a process's calls, with durations; Ctrl-C ends it",
    "perf trace -a -e openat --format '{comm}({pid}) open ({args})'|only these fields of each call",
    "perf trace -a -e read --agg 'sum(ret), hist(duration) by comm' --interval 5|bytes and latencies of read by "
    "program",
    "perf trace -a -e 'open*' --failure|failed attempts to open files, on all CPUs",
    "perf trace -e '!futex,epoll_wait' -p 4239|all calls except these",
};

// The [trace] section: the contents of a line.
Result<> configure_style(const Config& config, TraceStyle& style) {
  const struct {
    std::string_view key;
    bool TraceStyle::* field;
  } flags[] = {{"trace.show_arg_names", &TraceStyle::show_names},
               {"trace.show_duration", &TraceStyle::show_duration},
               {"trace.show_timestamp", &TraceStyle::show_time},
               {"trace.show_zeros", &TraceStyle::show_zeros}};
  for (const auto& flag : flags) {
    auto value = config.flag(flag.key, style.*flag.field);
    if (!value) return std::unexpected(std::move(value.error()));
    style.*flag.field = *value;
  }
  auto alignment = config.number("trace.args_alignment", style.alignment);
  if (!alignment) return std::unexpected(std::move(alignment.error()));
  style.alignment = static_cast<unsigned>(std::clamp<i64>(*alignment, 0, 1000));
  return {};
}

}  // namespace

Result<> TraceOptions::configure(const Config& config) {
  TraceRequest& request = live.trace;
  configure_sources(config, request.sources);
  auto no_inherit = config.flag("trace.no_inherit", false);
  if (!no_inherit) return std::unexpected(std::move(no_inherit.error()));
  request.inherit = !*no_inherit;
  return configure_style(config, request.style);
}

constinit const Command kTrace{
    .name = "trace",
    .summary = "Show system calls as they happen",
    .usage = kTraceUsage,
    .options = kTraceOptions,
    .first_words = [] { return std::vector<std::string_view>{"record"}; },
    .words_at = Words::StopAtFirst,
    .description =
        "Shows system calls as they happen, like strace but with less overhead: time, duration, thread, arguments and "
        "result. It traces a command, processes (-p), threads (-t), a user (-u) or CPUs (-C); without any of these, or "
        "with -a, the whole machine.\n\n"
        "It uses BPF programs if it has permission to load them. File names, buffers and structs are then shown in "
        "full, and a summary (-s) is computed in the kernel.",
    .examples = kTraceExamples,
    .run = entry<TraceOptions, run_trace>};

}  // namespace peregrine::cmd
